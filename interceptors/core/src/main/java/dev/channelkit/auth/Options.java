package dev.channelkit.auth;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks of options, whose messages name the option, its range and what was given. */
final class Options {
  private static final Duration SHORTEST = Duration.ofMillis(1);

  private Options() {}

  static Duration within(String name, @Nullable Duration value, Duration longest) {
    String range = name + " must be from " + SHORTEST + " to " + longest + ", was ";
    if (value == null) {
      throw new NullPointerException(range + "null");
    }
    // Compared as durations: the milliseconds of a long one would overflow.
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(longest) > 0) {
      throw new IllegalArgumentException(range + value);
    }
    return value;
  }

  static <T> T present(String name, @Nullable T value) {
    if (value == null) {
      throw new NullPointerException(name + " must not be null");
    }
    return value;
  }
}
