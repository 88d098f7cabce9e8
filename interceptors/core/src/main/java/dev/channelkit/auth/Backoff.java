package dev.channelkit.auth;

import java.util.random.RandomGenerator;

/** How long calls fail at once after failures in a row: doubling, bounded, spread by chance. */
final class Backoff {
  static final long FIRST_MILLIS = 1_000;
  static final long LAST_MILLIS = 60_000;
  private static final int DOUBLINGS = 6;

  private Backoff() {}

  /** Zero for a single failure: it may have been an accident, and the next call asks again. */
  static long delayMillis(int failuresInARow, RandomGenerator random) {
    if (failuresInARow < 2) {
      return 0;
    }
    int doublings = Math.min(failuresInARow - 2, DOUBLINGS);
    long full = Math.min(FIRST_MILLIS << doublings, LAST_MILLIS);
    // By a double, because a bounded long may draw again and again.
    return full / 2 + Math.round(random.nextDouble() * full / 2);
  }
}
