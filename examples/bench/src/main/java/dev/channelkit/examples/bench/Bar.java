package dev.channelkit.examples.bench;

import java.util.Locale;

/**
 * What a row has to reach.
 *
 * @param kind what is held against the limit
 * @param limit the largest value that passes
 */
record Bar(Kind kind, double limit) {
  /** What is held against a limit. */
  enum Kind {
    /** Ours divided by the baseline. */
    RATIO,
    /** Ours less the baseline, in the row's unit. */
    ADDED,
    /** Ours alone, in the row's unit. */
    ABSOLUTE
  }

  static Bar ratio(double limit) {
    return new Bar(Kind.RATIO, limit);
  }

  static Bar added(double limit) {
    return new Bar(Kind.ADDED, limit);
  }

  static Bar absolute(double limit) {
    return new Bar(Kind.ABSOLUTE, limit);
  }

  /** What is held against the limit, for one pair. */
  double of(Pair pair) {
    return switch (kind) {
      case RATIO -> pair.ratio();
      case ADDED -> pair.ours() - pair.baseline();
      case ABSOLUTE -> pair.ours();
    };
  }

  String text(String unit) {
    return switch (kind) {
      case RATIO -> String.format(Locale.ROOT, "<= %.2fx", limit);
      case ADDED -> String.format(Locale.ROOT, "<= +%.0f %s", limit, unit);
      case ABSOLUTE -> String.format(Locale.ROOT, "<= %.0f %s", limit, unit);
    };
  }
}
