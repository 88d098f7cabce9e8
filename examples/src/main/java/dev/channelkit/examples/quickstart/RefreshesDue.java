package dev.channelkit.examples.quickstart;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How many token fetches a run needed, computed from what was observed and not from what the stack
 * says.
 *
 * <p>The first call makes one fetch due, as there is no token yet. A token makes one more due if at
 * least one call starts while the token is the newest that the source has given out and no more
 * than the stale margin of its life is left, or none. Several calls in that time still make one
 * fetch due, and a token that nobody uses any more makes none. A cache that fetches once per such
 * occasion fetches exactly this often; one that fetches early, twice, or late does not.
 */
final class RefreshesDue {
  private RefreshesDue() {}

  /**
   * Counts.
   *
   * @param calls when each call started, in any order
   * @param tokens what the source gave out, in any order
   * @param staleMargin how long before its expiry a token is to be replaced
   */
  static long count(
      List<Instant> calls, List<TokenSourceModel.Issued> tokens, Duration staleMargin) {
    if (calls.isEmpty()) {
      return 0;
    }
    List<TokenSourceModel.Issued> ordered = new ArrayList<>(tokens);
    ordered.sort(Comparator.comparingLong(TokenSourceModel.Issued::generation));
    long due = 1;
    for (int i = 0; i < ordered.size(); i++) {
      Instant from = ordered.get(i).expiresAt().minus(staleMargin);
      Instant until = i + 1 < ordered.size() ? ordered.get(i + 1).issuedAt() : Instant.MAX;
      if (calls.stream().anyMatch(call -> !call.isBefore(from) && call.isBefore(until))) {
        due++;
      }
    }
    return due;
  }
}
