package dev.channelkit.examples.quickstart;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands for an identity provider: a fetch takes its time, and each token has a number and a short
 * life. The text of the token is always the same, because Spark's server knows one.
 */
final class TokenSourceModel {
  /** How long a fetch takes. */
  static final Duration LATENCY = Duration.ofMillis(85);

  /** How long a token lives from the end of its fetch. */
  static final Duration LIFETIME = Duration.ofSeconds(3);

  private final String token;
  private final InstantSource clock;
  private final List<Issued> issued = new ArrayList<>();

  TokenSourceModel(String token, InstantSource clock) {
    this.token = token;
    this.clock = clock;
  }

  /**
   * A token that was given out.
   *
   * @param generation counting up from 1
   * @param requestedAt when the fetch began
   * @param issuedAt when it ended
   * @param expiresAt when the token ends
   */
  record Issued(long generation, Instant requestedAt, Instant issuedAt, Instant expiresAt) {}

  /** Fetches a token; blocks the calling thread for {@link #LATENCY}, as such clients do. */
  Issued fetch() {
    Instant requested = clock.instant();
    long end = System.nanoTime() + LATENCY.toNanos();
    for (long left = LATENCY.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    synchronized (issued) {
      Instant now = clock.instant();
      Issued token = new Issued(issued.size() + 1L, requested, now, now.plus(LIFETIME));
      issued.add(token);
      return token;
    }
  }

  /** The text of every token. */
  String token() {
    return token;
  }

  /** All tokens given out so far. */
  List<Issued> issued() {
    synchronized (issued) {
      return List.copyOf(issued);
    }
  }

  /** The token with this number. */
  Optional<Issued> generation(long generation) {
    return issued().stream().filter(token -> token.generation() == generation).findFirst();
  }
}
