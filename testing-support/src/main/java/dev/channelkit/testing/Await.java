package dev.channelkit.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition that another thread makes true, for a bounded time. */
final class Await {
  private static final long STEP_NANOS = 100_000;

  private Await() {}

  /** Returns whether {@code condition} became true within {@code bound}. */
  static boolean until(BooleanSupplier condition, Duration bound) {
    long end = System.nanoTime() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return condition.getAsBoolean();
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
    return true;
  }
}
