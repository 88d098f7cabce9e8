package dev.channelkit.auth;

import io.grpc.Status;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** One fetch under way and who waits for it. */
final class Flight {
  /** Is told once, on any thread and with no lock held. */
  interface Waiter {
    void ready(IssuedToken token);

    void failed(Status status);
  }

  /** Guarded by the lock of the cache. */
  final Set<Waiter> waiters = new LinkedHashSet<>();

  final boolean afterRejection;
  final long startedAt;
  private volatile @Nullable FutureTask<?> task;
  private volatile @Nullable Future<?> timer;

  Flight(boolean afterRejection, long startedAt) {
    this.afterRejection = afterRejection;
    this.startedAt = startedAt;
  }

  void timer(Future<?> timer) {
    this.timer = timer;
  }

  void task(FutureTask<?> task) {
    this.task = task;
  }

  void stopTimer() {
    Future<?> timeout = timer;
    if (timeout != null) {
      timeout.cancel(false);
    }
  }

  /** Frees the thread of a fetch that was given up, if it listens to an interrupt. */
  void interrupt() {
    FutureTask<?> fetch = task;
    if (fetch != null) {
      fetch.cancel(true);
    }
  }

  @Override
  public String toString() {
    return "fetch since " + startedAt;
  }
}
