package dev.channelkit.auth;

import org.jspecify.annotations.Nullable;

/**
 * Everything known at one moment, and what follows from it. Immutable and without a clock of its
 * own; times are milliseconds since the epoch.
 *
 * @param token the one in use, or null
 * @param flight the fetch that runs, or null
 * @param lastGeneration of the newest token there ever was; 0 before the first
 * @param failure what the last fetch ended with; null after a success
 * @param failures in a row
 * @param failedAt when the last of them happened
 * @param retryAt until when calls fail at once, from the second failure in a row on
 * @param rejected whether the newest token was dropped because the server refused it
 * @param rejectedAt when a token was last dropped; null if never
 */
record TokenState(
    @Nullable IssuedToken token,
    @Nullable Flight flight,
    long lastGeneration,
    @Nullable FetchFailure failure,
    int failures,
    long failedAt,
    long retryAt,
    boolean rejected,
    @Nullable Long rejectedAt) {
  private static final long DROP_INTERVAL = 60_000;

  static final TokenState EMPTY = new TokenState(null, null, 0, null, 0, 0, 0, false, null);

  enum Decision {
    /** Send the token. */
    SERVE,
    /** Send the token and start a fetch. */
    SERVE_AND_FETCH,
    /** Wait for the fetch that runs. */
    JOIN,
    /** Start a fetch and wait for it. */
    FETCH,
    /** Fail with the last failure. */
    FAIL
  }

  Decision decide(long now) {
    IssuedToken current = token;
    if (current != null) {
      if (current.isFresh(now)) {
        return Decision.SERVE;
      }
      if (current.isUsable(now, failures > 0)) {
        return mayFetch(now) ? Decision.SERVE_AND_FETCH : Decision.SERVE;
      }
    }
    if (flight != null) {
      return Decision.JOIN;
    }
    return mayFetch(now) ? Decision.FETCH : Decision.FAIL;
  }

  boolean mayFetch(long now) {
    // A clock that was set back behind the failure must not prolong the wait.
    boolean backingOff = failures >= 2 && now < retryAt && now >= failedAt;
    return flight == null && !backingOff;
  }

  /** Whether a token there is may be sent although no better one could be fetched. */
  boolean canFallBack(long now) {
    IssuedToken current = token;
    return current != null && current.isUsable(now, true);
  }

  TokenState fetching(Flight next) {
    return new TokenState(
        token, next, lastGeneration, failure, failures, failedAt, retryAt, rejected, rejectedAt);
  }

  TokenState fetched(IssuedToken next) {
    return new TokenState(next, null, next.generation, null, 0, 0, 0, false, rejectedAt);
  }

  TokenState failed(FetchFailure next, long now, long delay) {
    return new TokenState(
        token,
        null,
        lastGeneration,
        next,
        failures == Integer.MAX_VALUE ? failures : failures + 1,
        now,
        now + delay,
        rejected,
        rejectedAt);
  }

  /** Whether a refusal of a generation drops the token: only its own one, and not too often. */
  boolean drops(long generation, long now) {
    if (token == null || token.generation != generation) {
      return false;
    }
    Long last = rejectedAt;
    return last == null || now - last >= DROP_INTERVAL || now < last;
  }

  TokenState dropped(long now) {
    return new TokenState(
        null, flight, lastGeneration, failure, failures, failedAt, retryAt, true, now);
  }

  /** Whether a call that was refused with a generation would carry, or wait for, another one. */
  boolean hasOtherThan(long generation, long now) {
    return token == null ? flight != null || mayFetch(now) : token.generation != generation;
  }
}
