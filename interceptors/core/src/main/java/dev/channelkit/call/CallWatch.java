package dev.channelkit.call;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ends a waiting call at its deadline or with its Context; made only for calls that wait. */
final class CallWatch implements Runnable, Context.CancellationListener {
  private final Context context;
  private final CallRuntime runtime;
  private final Supplier<String> waitingFor;
  private final Consumer<Status> end;
  private final @Nullable Deadline deadline;
  private final Object lock = new Object();
  private boolean stopped;
  private @Nullable ScheduledFuture<?> timer;

  private CallWatch(
      Context context,
      CallRuntime runtime,
      @Nullable Deadline deadline,
      Supplier<String> waitingFor,
      Consumer<Status> end) {
    this.context = context;
    this.runtime = runtime;
    this.deadline = deadline;
    this.waitingFor = waitingFor;
    this.end = end;
  }

  /** Null when the call has no deadline and a Context that nobody can cancel. */
  static @Nullable CallWatch of(
      Context context,
      CallOptions options,
      CallRuntime runtime,
      Supplier<String> waitingFor,
      Consumer<Status> end) {
    Deadline deadline = earlier(options.getDeadline(), context.getDeadline());
    return deadline == null && context == Context.ROOT
        ? null
        : new CallWatch(context, runtime, deadline, waitingFor, end);
  }

  // By what is left, because Deadline refuses to compare deadlines of two tickers.
  private static @Nullable Deadline earlier(@Nullable Deadline one, @Nullable Deadline other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.timeRemaining(TimeUnit.NANOSECONDS) <= other.timeRemaining(TimeUnit.NANOSECONDS)
        ? one
        : other;
  }

  /** Called once. May end the call before it returns. */
  void arm() {
    if (deadline != null && !armTimer(deadline)) {
      return;
    }
    // Runs at once when the Context is cancelled already; does nothing when it cannot be.
    context.addListener(this, Runnable::run);
    synchronized (lock) {
      if (!stopped) {
        return;
      }
    }
    // Stopped between the owner's last look and the listener's arrival: nobody else removes it.
    context.removeListener(this);
  }

  private boolean armTimer(Deadline due) {
    long remaining = due.timeRemaining(TimeUnit.NANOSECONDS);
    if (remaining <= 0) {
      run();
      return false;
    }
    ScheduledFuture<?> scheduled;
    try {
      scheduled = runtime.scheduler().schedule(this, remaining, TimeUnit.NANOSECONDS);
    } catch (RuntimeException | Error rejection) {
      // Without a timer nothing would bound the wait.
      end.accept(
          Status.CANCELLED
              .withDescription(
                  "the scheduler of this call's runtime rejected its deadline: use one that is not"
                      + " shut down")
              .withCause(rejection));
      return false;
    }
    synchronized (lock) {
      if (!stopped) {
        timer = scheduled;
        return true;
      }
    }
    scheduled.cancel(false);
    return false;
  }

  /** Idempotent, from any thread, also before or while the watch is armed. */
  void stop() {
    ScheduledFuture<?> scheduled;
    synchronized (lock) {
      if (stopped) {
        return;
      }
      stopped = true;
      scheduled = timer;
      timer = null;
    }
    if (scheduled != null) {
      scheduled.cancel(false);
    }
    context.removeListener(this);
  }

  /** The deadline has passed. */
  @Override
  public void run() {
    end.accept(Status.DEADLINE_EXCEEDED.withDescription("deadline passed " + lateness() + what()));
  }

  @Override
  public void cancelled(Context cancelled) {
    Throwable cause = cancelled.cancellationCause();
    end.accept(
        cause instanceof TimeoutException
            ? Status.DEADLINE_EXCEEDED
                .withDescription("deadline of the caller's Context passed " + what())
                .withCause(cause)
            : Status.CANCELLED
                .withDescription("the caller's Context was cancelled " + what())
                .withCause(cause));
  }

  private String lateness() {
    long late = deadline == null ? 0 : -deadline.timeRemaining(TimeUnit.MILLISECONDS);
    return late > 0 ? String.format(Locale.ROOT, "%d ms ago ", late) : "";
  }

  private String what() {
    String text;
    try {
      text = Objects.requireNonNull(waitingFor.get(), "waitingFor() gave null");
    } catch (Throwable thrown) {
      CallEnd.LOG.log(Level.WARNING, "waitingFor() threw", thrown);
      text = "a decision";
    }
    return "while the call waited for " + text + "; the request was not sent";
  }
}
