package dev.channelkit.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * A clock that stands still until a test moves it.
 *
 * @since 0.1
 */
public final class ManualClock implements InstantSource {
  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

  /** Starts at a fixed instant. */
  public ManualClock() {}

  @Override
  public Instant instant() {
    return now;
  }

  /**
   * Moves the clock.
   *
   * @param by how far; not null
   */
  public synchronized void advance(Duration by) {
    now = now.plus(by);
  }
}
