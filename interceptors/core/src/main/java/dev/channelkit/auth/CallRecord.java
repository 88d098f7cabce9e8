package dev.channelkit.auth;

import io.grpc.CallOptions;
import org.jspecify.annotations.Nullable;

/** What the interceptor and the credentials tell each other about one call. */
final class CallRecord {
  static final CallOptions.Key<@Nullable CallRecord> KEY =
      CallOptions.Key.create("channelkit.credentials.record");

  /** The generation sent with the latest attempt; 0 if none was. */
  volatile long generation;

  /** Whether the request names its own project. Written before the call starts. */
  boolean namesProject;

  private @Nullable PendingCall waiting;
  private boolean cancelled;

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
}
