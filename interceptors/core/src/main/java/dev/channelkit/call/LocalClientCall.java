package dev.channelkit.call;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A call that is answered, or failed, without a network.
 *
 * <p><b>An answer</b> waits for half-close (unless the client streams requests, see {@link
 * #answering(MethodType, CallOptions, CallRuntime, Metadata, Iterable)}), then delivers headers,
 * each message once the application has requested it, and OK. While it waits it is bounded by the
 * earlier of the deadlines of its options and its Context, and ends with that Context; a timer
 * exists only with a deadline. Request messages are dropped.
 *
 * <p><b>A failure</b> is delivered at {@code start}, whatever follows or does not follow.
 *
 * <p>Callbacks run on {@link CallRuntime#executorFor}, never inside an operation of the caller
 * (unless that executor is a direct one), in the Context that was current when the call was made;
 * what happens when one throws or the executor rejects says {@link SerializingClientCallListener}.
 * Every call gets metadata of its own; messages are handed on as they are and must not change.
 *
 * <p>As for any {@code ClientCall}, the application uses one thread at a time, except that {@code
 * request} and {@code cancel} may come from any thread at any time. A cancel before the close was
 * delivered ends in CANCELLED, before {@code start} too: then {@code start} delivers it, where
 * gRPC's own call would throw. {@link #isReady} is always false: there is nothing to send to.
 *
 * @param <ReqT> request messages
 * @param <RespT> response messages
 * @since 0.1
 */
public final class LocalClientCall<ReqT, RespT> extends ClientCall<ReqT, RespT> {
  private final CallOptions options;
  private final CallRuntime runtime;
  private final Context context = Context.current();
  private final boolean awaitsHalfClose;
  private final Metadata headers;
  private final List<RespT> messages;
  private final Status status;
  private final Metadata trailers;
  private final Object lock = new Object();

  // All below guarded by lock.
  private @Nullable SerializingClientCallListener<RespT> out;
  private @Nullable CallWatch watch;
  private @Nullable Status cancelledEarly;
  private boolean halfClosed;
  private boolean over;
  private long demand;

  private LocalClientCall(
      CallOptions options,
      CallRuntime runtime,
      boolean awaitsHalfClose,
      Metadata headers,
      List<RespT> messages,
      Status status,
      Metadata trailers) {
    this.options = Objects.requireNonNull(options, "options");
    this.runtime = Objects.requireNonNull(runtime, "runtime");
    this.awaitsHalfClose = awaitsHalfClose;
    this.headers = headers;
    this.messages = messages;
    this.status = status;
    this.trailers = trailers;
  }

  /**
   * Answers with one message and OK, after half-close.
   *
   * @param options of the call: deadline and executor are used; not null
   * @param runtime executor and scheduler for what the options leave open; not null
   * @param message the answer; not null
   * @return an unstarted call; never null
   */
  public static <ReqT, RespT> LocalClientCall<ReqT, RespT> answering(
      CallOptions options, CallRuntime runtime, RespT message) {
    Objects.requireNonNull(message, "message");
    return new LocalClientCall<>(
        options, runtime, true, new Metadata(), List.of(message), Status.OK, new Metadata());
  }

  /**
   * Answers with messages and OK, after half-close.
   *
   * @param options of the call: deadline and executor are used; not null
   * @param runtime executor and scheduler for what the options leave open; not null
   * @param messages the answers in order, possibly none; copied; not null, nor is any element
   * @return an unstarted call; never null
   */
  public static <ReqT, RespT> LocalClientCall<ReqT, RespT> answering(
      CallOptions options, CallRuntime runtime, List<? extends RespT> messages) {
    return new LocalClientCall<>(
        options, runtime, true, new Metadata(), copyOf(messages), Status.OK, new Metadata());
  }

  /**
   * Answers with headers, messages and OK: after half-close when the client sends one message, else
   * from {@code start} on, because a client that streams may wait for an answer before it goes on.
   *
   * @param type of the method; not null
   * @param options of the call: deadline and executor are used; not null
   * @param runtime executor and scheduler for what the options leave open; not null
   * @param headers response headers; copied; not null
   * @param messages the answers in order, possibly none; copied; not null, nor is any element
   * @return an unstarted call; never null
   */
  public static <ReqT, RespT> LocalClientCall<ReqT, RespT> answering(
      MethodType type,
      CallOptions options,
      CallRuntime runtime,
      Metadata headers,
      Iterable<? extends RespT> messages) {
    return new LocalClientCall<>(
        options,
        runtime,
        type.clientSendsOneMessage(),
        CallEnd.copy(headers),
        copyOf(messages),
        Status.OK,
        new Metadata());
  }

  /**
   * Fails at {@code start}.
   *
   * @param options of the call: the executor is used; not null
   * @param runtime executor for options that name none; not null
   * @param status a failure; not null
   * @param trailers copied; not null
   * @return an unstarted call; never null
   * @throws IllegalArgumentException if the status is OK
   */
  public static <ReqT, RespT> LocalClientCall<ReqT, RespT> failing(
      CallOptions options, CallRuntime runtime, Status status, Metadata trailers) {
    return new LocalClientCall<>(
        options,
        runtime,
        false,
        new Metadata(),
        List.of(),
        CallEnd.requireFailure(status),
        CallEnd.copy(trailers));
  }

  private static <T> List<T> copyOf(Iterable<? extends T> messages) {
    return StreamSupport.stream(messages.spliterator(), false)
        .<T>map(message -> Objects.requireNonNull(message, "messages must not hold null"))
        .toList();
  }

  @Override
  public void start(Listener<RespT> listener, Metadata headers) {
    Objects.requireNonNull(headers, "headers");
    SerializingClientCallListener<RespT> target =
        new SerializingClientCallListener<>(
            listener, options, runtime, context, (text, cause) -> finish(null));
    Status early;
    CallWatch arm = null;
    synchronized (lock) {
      if (out != null) {
        throw new IllegalStateException("Already started");
      }
      out = target;
      early = cancelledEarly;
      over = early != null || !status.isOk();
      if (!over) {
        arm = CallWatch.of(context, options, runtime, this::waitingFor, this::finish);
        watch = arm;
      }
    }
    if (early != null) {
      target.closeNow(early, new Metadata());
    } else if (!status.isOk()) {
      target.onClose(status, CallEnd.copy(trailers));
    } else {
      if (arm != null) {
        // Also for an answer that waits for nothing: it may have ended before it began.
        arm.arm();
        stopUnlessWaiting();
      }
      if (!awaitsHalfClose) {
        answer(target);
      }
    }
  }

  @Override
  public void request(int numMessages) {
    SerializingClientCallListener<RespT> target;
    synchronized (lock) {
      target = requireStarted();
      if (numMessages < 0) {
        throw new IllegalArgumentException("numMessages must be 0 or more but is " + numMessages);
      }
      demand = Math.min(demand + numMessages, Integer.MAX_VALUE);
    }
    stopUnlessWaiting();
    target.request(numMessages);
  }

  @Override
  public void sendMessage(ReqT message) {
    Objects.requireNonNull(message, "message");
    synchronized (lock) {
      requireStarted();
      requireOpen();
    }
  }

  @Override
  public void halfClose() {
    SerializingClientCallListener<RespT> target;
    synchronized (lock) {
      target = requireStarted();
      requireOpen();
      halfClosed = true;
      if (over) {
        return;
      }
    }
    stopUnlessWaiting();
    if (awaitsHalfClose) {
      answer(target);
    }
  }

  @Override
  public void setMessageCompression(boolean enabled) {
    synchronized (lock) {
      requireStarted();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>From any thread, before {@code start} too; only the first cancel counts. Both arguments may
   * be null.
   */
  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    finish(CallEnd.cancelled(message, cause));
  }

  @Override
  public boolean isReady() {
    return false;
  }

  @Override
  public Attributes getAttributes() {
    return Attributes.EMPTY;
  }

  @Override
  public String toString() {
    return "LocalClientCall{" + status.getCode() + ", " + messages.size() + " messages}";
  }

  /** Pushed in one go: what was ended meanwhile ignores the rest. */
  private void answer(SerializingClientCallListener<RespT> target) {
    target.onHeaders(CallEnd.copy(headers));
    messages.forEach(target::onMessage);
    target.onClose(Status.OK, new Metadata());
  }

  private void finish(@Nullable Status ended) {
    SerializingClientCallListener<RespT> target;
    CallWatch stop;
    synchronized (lock) {
      target = out;
      if (target == null) {
        if (cancelledEarly == null) {
          cancelledEarly = ended;
        }
        return;
      }
      over = true;
      stop = takeWatch();
    }
    if (stop != null) {
      stop.stop();
    }
    if (ended != null) {
      target.closeNow(ended, new Metadata());
    }
  }

  private void stopUnlessWaiting() {
    CallWatch stop;
    synchronized (lock) {
      stop = waits() ? null : takeWatch();
    }
    if (stop != null) {
      stop.stop();
    }
  }

  private boolean waits() {
    return (awaitsHalfClose && !halfClosed) || demand < messages.size();
  }

  private String waitingFor() {
    synchronized (lock) {
      return awaitsHalfClose && !halfClosed
          ? "its caller to half-close"
          : "its caller to request more messages";
    }
  }

  private @Nullable CallWatch takeWatch() {
    CallWatch taken = watch;
    watch = null;
    return taken;
  }

  private SerializingClientCallListener<RespT> requireStarted() {
    if (out == null) {
      throw new IllegalStateException("Not started");
    }
    return out;
  }

  private void requireOpen() {
    if (halfClosed && !over) {
      throw new IllegalStateException("Already half-closed");
    }
  }
}
