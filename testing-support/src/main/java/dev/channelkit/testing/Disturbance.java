package dev.channelkit.testing;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Brings about the ending of a cell, once the server has the call. */
final class Disturbance {
  /** A call that may be answered locally is not waited for at the server for long. */
  private static final Duration LOCAL = Duration.ofMillis(50);

  private final Cell cell;
  private final World world;
  private final Duration patience;
  private final Runnable cancelContext;
  private @Nullable Future<?> helper;

  Disturbance(Cell cell, World world, Duration patience, Runnable cancelContext) {
    this.cell = cell;
    this.world = world;
    this.patience = patience;
    this.cancelContext = cancelContext;
  }

  /** On the caller's thread; {@code cancel} is the caller's way to cancel. */
  void now(Runnable cancel) {
    switch (cell.ending()) {
      case CANCEL_AFTER_HALF_CLOSE -> afterArrival(cancel);
      case CONTEXT_CANCELLED -> afterArrival(cancelContext);
      case SHUTDOWN_NOW -> afterArrival(world.managed::shutdownNow);
      case SHUTDOWN ->
          afterArrival(
              () -> {
                world.managed.shutdown();
                world.server.release();
              });
      case CANCEL_RACING_CLOSE -> afterArrival(() -> race(world.server::release, cancel));
      default -> {}
    }
  }

  /** From another thread, because the caller's is about to block; it cancels by interrupting. */
  void whileBlocked() {
    Thread blocked = Thread.currentThread();
    helper = SuiteThreads.HELPERS.submit(() -> now(blocked::interrupt));
  }

  private void afterArrival(Runnable action) {
    // The first rejected task breaks the in-process stream, so that a half-close never arrives.
    boolean halfClosed = cell.ending().halfCloses(cell.type()) && !cell.rejects();
    boolean arrived =
        Await.until(
            () -> world.server.isHolding(halfClosed) || world.lastCallIsClosed(),
            world.mayAnswerLocally() && !world.below.hasStarted() ? LOCAL : patience);
    if (!arrived) {
      world.journal.event("the call never reached the server");
    }
    action.run();
  }

  /** Runs both at about the same time. */
  void race(Runnable first, Runnable second) {
    CountDownLatch go = new CountDownLatch(1);
    Future<?> other =
        SuiteThreads.HELPERS.submit(
            () -> {
              go.await();
              first.run();
              return null;
            });
    go.countDown();
    second.run();
    await(other);
  }

  /** Makes sure that no interrupt of the helper hits the caller's thread later. */
  void join() {
    Future<?> running = helper;
    if (running != null) {
      // The interrupt may still be pending when the call has ended without noticing it.
      if (Thread.interrupted()) {
        world.journal.event("the caller was interrupted");
      }
      await(running);
    }
  }

  private void await(Future<?> task) {
    try {
      task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      world.journal.event("helper ended in " + e);
    } catch (InterruptedException e) {
      world.journal.event("interrupted after the call ended");
    }
  }
}
