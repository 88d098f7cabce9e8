package dev.channelkit.examples.quickstart;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.sparkproject.io.grpc.Metadata;

/**
 * Tells tokens apart whose text is the same, by the header object that the credentials hand out:
 * they make one for each token. Should they make one for each call some day, the numbers run past
 * what the source has given out, and {@link #trustworthy} says so.
 */
final class Generations {
  private final LongSupplier newest;
  private final List<Metadata> seen = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();

  /**
   * Nothing seen yet.
   *
   * @param newest the number of the newest token that the source has given out
   */
  Generations(LongSupplier newest) {
    this.newest = newest;
  }

  /** The number of the token in these headers. */
  synchronized long of(Metadata headers) {
    for (int i = seen.size() - 1; i >= 0; i--) {
      if (seen.get(i) == headers) {
        return numbers.get(i);
      }
    }
    seen.add(headers);
    long number = newest.getAsLong();
    numbers.add(number);
    return number;
  }

  /** Whether each header object stood for a token of its own. */
  synchronized boolean trustworthy() {
    return numbers.stream().distinct().count() == numbers.size();
  }
}
