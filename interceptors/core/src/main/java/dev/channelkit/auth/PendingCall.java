package dev.channelkit.auth;

import io.grpc.CallCredentials.MetadataApplier;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits for a token. Completes its applier exactly once: gRPC neither forgives a second
 * time nor forgets an applier of a call that has ended meanwhile.
 */
final class PendingCall implements Flight.Waiter, Context.CancellationListener {
  private static final System.Logger LOGGER = System.getLogger("channelkit.credentials");

  private final TokenCache cache;
  private final MetadataApplier applier;
  private final Executor appExecutor;
  private final @Nullable CallRecord record;
  private final Context context = Context.current();
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile @Nullable Future<?> timer;

  PendingCall(
      TokenCache cache,
      MetadataApplier applier,
      Executor appExecutor,
      @Nullable CallRecord record) {
    this.cache = cache;
    this.applier = applier;
    this.appExecutor = appExecutor;
    this.record = record;
  }

  void await(@Nullable Deadline ofOptions, ScheduledExecutorService scheduler) {
    Deadline deadline = earlier(ofOptions, context.getDeadline());
    if (deadline != null) {
      if (deadline.isExpired()) {
        expired();
        return;
      }
      try {
        timer = deadline.runOnExpiration(this::expired, scheduler);
      } catch (RejectedExecutionException e) {
        // The end of the fetch still bounds the wait.
      }
    }
    context.addListener(this, Runnable::run);
    if (record != null) {
      record.waiting(this);
    }
    cache.obtain(this);
    if (done.get()) {
      // It may have ended between the steps above, before there was anything to take back.
      release();
    }
  }

  /** gRPC itself refuses to compare deadlines of different tickers; then the call's own counts. */
  private static @Nullable Deadline earlier(@Nullable Deadline own, @Nullable Deadline around) {
    if (own == null || around == null) {
      return own == null ? around : own;
    }
    try {
      return own.minimum(around);
    } catch (AssertionError differentTickers) {
      return own;
    }
  }

  @Override
  public void ready(IssuedToken token) {
    Metadata headers = CachedCallCredentials.headersFor(token, record);
    if (end()) {
      onAppExecutor(
          () -> {
            if (record != null) {
              record.generation = token.generation;
            }
            applier.apply(headers);
          });
    }
  }

  @Override
  public void failed(Status status) {
    if (end()) {
      onAppExecutor(() -> fail(status));
    }
  }

  private void expired() {
    failed(
        Status.DEADLINE_EXCEEDED.withDescription(
            "channelkit credentials: the deadline passed while the call waited for a token; the"
                + " fetch goes on, and later calls use what it brings"));
  }

  void callCancelled() {
    failed(
        Status.CANCELLED.withDescription(
            "channelkit credentials: the call was cancelled while it waited for a token"));
  }

  @Override
  public void cancelled(Context cancelledContext) {
    Throwable cause = cancelledContext.cancellationCause();
    if (cause instanceof TimeoutException) {
      expired();
    } else {
      failed(
          Status.CANCELLED
              .withDescription(
                  "channelkit credentials: the call's context was cancelled while it waited for a"
                      + " token")
              .withCause(cause));
    }
  }

  private boolean end() {
    if (!done.compareAndSet(false, true)) {
      return false;
    }
    release();
    return true;
  }

  private void release() {
    Future<?> deadline = timer;
    if (deadline != null) {
      deadline.cancel(false);
    }
    context.removeListener(this);
    cache.forget(this);
  }

  private void fail(Status status) {
    if (record != null) {
      record.generation = 0;
    }
    applier.fail(status);
  }

  // Not on the thread that fetched or keeps the time: what follows is the start of a stream, and
  // with a direct executor the application's own callbacks.
  private void onAppExecutor(Runnable completion) {
    AtomicBoolean begun = new AtomicBoolean();
    Runnable once =
        () -> {
          if (begun.compareAndSet(false, true)) {
            completion.run();
          }
        };
    try {
      appExecutor.execute(once);
    } catch (Throwable rejected) {
      here(once);
    }
  }

  /** Nothing of it goes to who happened to end the wait, such as the caller of a cancel. */
  private static void here(Runnable completion) {
    try {
      completion.run();
    } catch (Throwable thrown) {
      // Its class only: the text is not ours.
      LOGGER.log(
          Level.WARNING, "A call could not take its token: {0}", thrown.getClass().getName());
    }
  }
}
