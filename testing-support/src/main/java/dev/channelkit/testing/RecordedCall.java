package dev.channelkit.testing;

import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One call as a {@link ScriptedServer} saw it. Thread-safe; its answers change while the call is
 * open.
 *
 * @since 0.1
 */
public final class RecordedCall {
  private final String method;
  private final String authority;
  private final Metadata headers;
  private final Instant startedAt;
  private final List<byte[]> messages = new ArrayList<>();
  private boolean halfClosed;
  private boolean cancelled;
  private int messagesSent;
  private @Nullable Status answered;
  private @Nullable Instant endedAt;

  RecordedCall(String method, String authority, Metadata headers, Instant startedAt) {
    this.method = method;
    this.authority = authority;
    this.headers = Script.copy(headers);
    this.startedAt = startedAt;
  }

  /**
   * The full method name.
   *
   * @return {@code package.Service/Method}
   */
  public String method() {
    return method;
  }

  /**
   * The authority that the client named.
   *
   * @return empty if it named none
   */
  public String authority() {
    return authority;
  }

  /**
   * The request headers.
   *
   * @return a copy
   */
  public Metadata headers() {
    return Script.copy(headers);
  }

  /**
   * The request messages so far, in wire form.
   *
   * @return a copy, oldest first
   */
  public synchronized List<byte[]> messages() {
    return messages.stream().map(byte[]::clone).toList();
  }

  /**
   * Whether the client has half-closed.
   *
   * @return true once it has
   */
  public synchronized boolean halfClosed() {
    return halfClosed;
  }

  /**
   * Whether the call ended without the script's end reaching the client: cancelled by the client,
   * by its deadline or by a lost connection.
   *
   * @return true once it has
   */
  public synchronized boolean cancelled() {
    return cancelled;
  }

  /**
   * How many messages the script has handed to the transport.
   *
   * @return zero or more
   */
  public synchronized int messagesSent() {
    return messagesSent;
  }

  /**
   * The status the script ended with.
   *
   * @return empty while it has not ended
   */
  public synchronized Optional<Status> answered() {
    return Optional.ofNullable(answered);
  }

  /**
   * When the call arrived, by the server's clock.
   *
   * @return never null
   */
  public Instant startedAt() {
    return startedAt;
  }

  /**
   * When the call was over, by the server's clock.
   *
   * @return empty while it is open
   */
  public synchronized Optional<Instant> endedAt() {
    return Optional.ofNullable(endedAt);
  }

  synchronized void addMessage(byte[] message) {
    messages.add(message);
  }

  synchronized void markHalfClosed() {
    halfClosed = true;
  }

  synchronized void markSent() {
    messagesSent++;
  }

  synchronized void markAnswered(Status status) {
    answered = status;
  }

  /** The answer is false if it was over already. */
  synchronized boolean markEnded(boolean byCancel, Instant at) {
    if (endedAt != null) {
      return false;
    }
    endedAt = at;
    cancelled = byCancel;
    return true;
  }

  /** Names the method, what came in, what went out and how it stands; no headers, no content. */
  @Override
  public synchronized String toString() {
    return method
        + "{"
        + messages.size()
        + " in"
        + (halfClosed ? ", half-closed" : "")
        + ", "
        + messagesSent
        + " out, "
        + (cancelled ? "cancelled" : answered != null ? answered.getCode() : "open")
        + "}";
  }
}
