package dev.channelkit.auth;

import io.grpc.CallCredentials;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of one call: those they belong to, and what these and the interceptor tell each
 * other. A call option beside the shared credentials would do too, but costs each call another copy
 * of its options.
 */
final class CallRecord extends CallCredentials {
  private final CachedCallCredentials credentials;

  /** The generation sent with the latest attempt; 0 if none was. */
  volatile long generation;

  /** Whether the request names its own project. Written before the call starts. */
  boolean namesProject;

  private @Nullable PendingCall waiting;
  private boolean cancelled;

  CallRecord(CachedCallCredentials credentials) {
    this.credentials = credentials;
  }

  @Override
  public void applyRequestMetadata(
      RequestInfo info, Executor appExecutor, MetadataApplier applier) {
    credentials.apply(info, appExecutor, applier, this);
  }

  /** Remembers who to release when the call is cancelled: gRPC itself does not tell. */
  void waiting(PendingCall pending) {
    boolean late;
    synchronized (this) {
      late = cancelled;
      waiting = pending;
    }
    if (late) {
      pending.callCancelled();
    }
  }

  void cancelled() {
    PendingCall pending;
    synchronized (this) {
      cancelled = true;
      pending = waiting;
    }
    if (pending != null) {
      pending.callCancelled();
    }
  }

  @Override
  public String toString() {
    return credentials.toString();
  }
}
