package dev.channelkit.auth;

import dev.channelkit.call.CallRuntime;
import dev.channelkit.call.LocalClientCall;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A call that may be cancelled from any thread at any time. gRPC's own call loses a cancel that
 * meets its start, and throws at the start that follows a cancel.
 */
class GatedCall<Q, R> extends ForwardingClientCall<Q, R> {
  private static final Object STARTING = new Object();
  private static final Object STARTED = new Object();

  @SuppressWarnings("rawtypes")
  private static final AtomicReferenceFieldUpdater<GatedCall, @Nullable Object> GATE =
      AtomicReferenceFieldUpdater.newUpdater(GatedCall.class, Object.class, "gate");

  final CallRecord record;
  private final CallOptions options;
  private final CallRuntime runtime;
  private volatile ClientCall<Q, R> delegate;

  /** Null before the start; else one of the two marks or the first {@link Cancel}. */
  private volatile @Nullable Object gate;

  GatedCall(
      ClientCall<Q, R> delegate, CallRecord record, CallOptions options, CallRuntime runtime) {
    this.delegate = delegate;
    this.record = record;
    this.options = options;
    this.runtime = runtime;
  }

  @Override
  protected final ClientCall<Q, R> delegate() {
    return delegate;
  }

  @Override
  public void start(Listener<R> listener, Metadata headers) {
    if (!GATE.compareAndSet(this, null, STARTING)) {
      if (gate instanceof Cancel cancel) {
        // The call below was cancelled unstarted and would throw; every later operation must find
        // one that bears it.
        delegate = LocalClientCall.failing(options, runtime, cancel.status(), new Metadata());
      }
      delegate.start(listener, headers);
      return;
    }
    try {
      delegate.start(listener, headers);
    } finally {
      if (!GATE.compareAndSet(this, STARTING, STARTED) && gate instanceof Cancel cancel) {
        cancelBelow(delegate, cancel.message, cancel.cause);
      }
    }
  }

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    ClientCall<Q, R> target = delegate;
    try {
      while (true) {
        Object now = gate;
        if (now == STARTED) {
          cancelBelow(target, message, cause);
          return;
        }
        if (now instanceof Cancel) {
          return;
        }
        if (GATE.compareAndSet(this, now, new Cancel(message, cause))) {
          if (now == null) {
            cancelBelow(target, message, cause);
          }
          return;
        }
      }
    } finally {
      record.cancelled();
    }
  }

  private static void cancelBelow(
      ClientCall<?, ?> call, @Nullable String message, @Nullable Throwable cause) {
    try {
      call.cancel(message, cause);
    } catch (RejectedExecutionException e) {
      // While a call waits for its token, gRPC closes it on the thread that cancels, and an
      // executor that rejects the close has nothing to tell that thread.
    }
  }

  private record Cancel(@Nullable String message, @Nullable Throwable cause) {
    Status status() {
      return Status.CANCELLED
          .withDescription(message == null ? "the call was cancelled" : message)
          .withCause(cause);
    }
  }
}
