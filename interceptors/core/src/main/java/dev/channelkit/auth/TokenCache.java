package dev.channelkit.auth;

import dev.channelkit.event.StackEventListener.TokenRefreshFailed;
import dev.channelkit.event.StackEventListener.TokenRefreshed;
import dev.channelkit.event.StackEventListener.TokenRejected;
import dev.channelkit.event.StackEvents;
import io.grpc.Context;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The token of one set of credentials: who may have it, who waits, who fetches.
 *
 * <p>{@link TokenState} decides; this class carries out. Every change of the state happens under
 * one lock, under which nothing foreign is called; a reader needs no lock.
 */
final class TokenCache {
  private static final System.Logger LOGGER = System.getLogger("channelkit.credentials");
  private static final int REMEMBERED = 3;

  private final Fetcher fetcher;
  private final Settings settings;
  private final StackEvents events;
  private final Object lock = new Object();
  private volatile TokenState state = TokenState.EMPTY;

  /**
   * The newest values a source gave, usable or not: a failure may repeat one in its text, and one
   * that was replaced may be good for a while.
   */
  private volatile List<String> lastValues = List.of();

  TokenCache(Fetcher fetcher, Settings settings, StackEvents events) {
    this.fetcher = fetcher;
    this.settings = settings;
    this.events = events;
  }

  /** The token if it can be sent at once and nothing is to be done about it, else null. */
  @Nullable IssuedToken atOnce() {
    TokenState now = state;
    IssuedToken token = now.token();
    if (token == null) {
      return null;
    }
    long millis = settings.clock().millis();
    boolean serve = token.isFresh(millis) || now.decide(millis) == TokenState.Decision.SERVE;
    return serve ? token : null;
  }

  /** Tells the waiter, at once or when the fetch ends. */
  void obtain(Flight.Waiter waiter) {
    long now = settings.clock().millis();
    TokenState was;
    TokenState.Decision decision;
    Flight started = null;
    synchronized (lock) {
      was = state;
      decision = was.decide(now);
      switch (decision) {
        case SERVE, FAIL -> {}
        case SERVE_AND_FETCH -> started = take(now);
        case JOIN -> join(was.flight(), waiter);
        case FETCH -> {
          started = take(now);
          started.waiters.add(waiter);
        }
      }
    }
    IssuedToken token = was.token();
    FetchFailure failure = was.failure();
    if (token != null
        && (decision == TokenState.Decision.SERVE
            || decision == TokenState.Decision.SERVE_AND_FETCH)) {
      waiter.ready(token);
    } else if (decision == TokenState.Decision.FAIL && failure != null) {
      waiter.failed(failure.status(was.failures(), was.retryAt() - now));
    }
    if (started != null) {
      launch(started);
    }
  }

  /** Takes a waiter out that no longer waits. */
  void forget(Flight.Waiter waiter) {
    synchronized (lock) {
      Flight flight = state.flight();
      if (flight != null) {
        flight.waiters.remove(waiter);
      }
    }
  }

  /**
   * Notes that the server refused a call. Drops the token if it is the one the call carried, and at
   * most once a minute, and fetches the next one at once: the next call needs it.
   *
   * @return whether a repeated call would carry another token
   */
  boolean reject(long generation) {
    if (generation == 0) {
      return false;
    }
    long now = settings.clock().millis();
    boolean dropped = false;
    boolean other;
    Flight started = null;
    synchronized (lock) {
      if (state.drops(generation, now)) {
        state = state.dropped(now);
        dropped = true;
        if (state.mayFetch(now)) {
          started = take(now);
        }
      }
      other = state.hasOtherThan(generation, now);
    }
    if (started != null) {
      launch(started);
    }
    if (dropped) {
      events.emit(new TokenRejected(generation));
    }
    return other;
  }

  /** Whether the source said that asking is useless, and no token is left to send. */
  boolean isBroken() {
    TokenState now = state;
    FetchFailure failure = now.failure();
    return failure != null && failure.permanent && !now.canFallBack(settings.clock().millis());
  }

  private static void join(@Nullable Flight flight, Flight.Waiter waiter) {
    if (flight != null) {
      flight.waiters.add(waiter);
    }
  }

  /** Occupies the slot; called under the lock. */
  private Flight take(long now) {
    Flight flight = new Flight(state.rejected(), now);
    state = state.fetching(flight);
    return flight;
  }

  /** Starts a fetch; whatever goes wrong frees the slot. */
  private void launch(Flight flight) {
    String option = "scheduler";
    try {
      // First, so that a fetch is bounded from the moment it may wait in a queue.
      flight.timer(
          settings
              .scheduler()
              .schedule(
                  () -> giveUp(flight), settings.fetchTimeout().toMillis(), TimeUnit.MILLISECONDS));
      option = "executor";
      FutureTask<?> task = new FutureTask<>(() -> fetch(flight), null);
      flight.task(task);
      // In the root, so that neither the end of the call that came first nor its deadline reaches
      // work that others wait for.
      settings.executor().execute(Context.ROOT.wrap(task));
    } catch (Throwable thrown) {
      settle(flight, null, FetchFailure.rejected(option, thrown, redaction()));
    }
  }

  private void giveUp(Flight flight) {
    if (settle(flight, null, FetchFailure.timedOut(settings.fetchTimeout()))) {
      flight.interrupt();
    }
  }

  private void fetch(Flight flight) {
    IssuedToken token = null;
    FetchFailure failure = null;
    try {
      Fetched fetched = fetcher.fetch(flight.afterRejection);
      remember(fetched.token.value());
      // Only a fetch that holds the slot issues a generation, so nobody else can take the number.
      token =
          IssuedToken.of(state.lastGeneration() + 1, fetched, settings.clock().instant(), settings);
    } catch (Throwable thrown) {
      // Also an Error: the slot must be freed and the waiters told whatever it was.
      failure = FetchFailure.thrown(thrown, redaction());
    }
    settle(flight, token, failure);
  }

  private void remember(String value) {
    synchronized (lock) {
      List<String> values = new ArrayList<>(lastValues);
      values.remove(value);
      values.add(0, value);
      lastValues = List.copyOf(values.subList(0, Math.min(values.size(), REMEMBERED)));
    }
  }

  private Redaction redaction() {
    return new Redaction(lastValues);
  }

  private long delayMillis(int failuresInARow) {
    try {
      return Backoff.delayMillis(failuresInARow, settings.random());
    } catch (Throwable thrown) {
      return Backoff.delayMillis(failuresInARow, () -> 0L);
    }
  }

  private long nowOr(long earlier) {
    try {
      return settings.clock().millis();
    } catch (Throwable thrown) {
      return earlier;
    }
  }

  /** Ends a fetch: the first end counts, and what a fetch says that was given up does not. */
  private boolean settle(
      Flight flight, @Nullable IssuedToken token, @Nullable FetchFailure failure) {
    // Nothing may be thrown before the slot is free: whoever waits would wait for ever.
    long now = nowOr(flight.startedAt);
    long delay = failure == null ? 0 : delayMillis(state.failures() + 1);
    TokenState next;
    List<Flight.Waiter> waiters;
    synchronized (lock) {
      if (state.flight() != flight) {
        return false;
      }
      if (token != null) {
        next = state.fetched(token);
      } else if (failure != null) {
        next = state.failed(failure, now, delay);
      } else {
        throw new AssertionError("neither token nor failure");
      }
      state = next;
      waiters = List.copyOf(flight.waiters);
      flight.waiters.clear();
    }
    flight.stopTimer();
    // A token that was just fetched goes out even if the clock jumped since its expiry was checked.
    IssuedToken usable = token != null ? token : next.canFallBack(now) ? next.token() : null;
    tell(waiters, usable, failure == null ? null : failure.status(next.failures(), delay));
    report(flight, next, now, delay, usable, waiters.isEmpty());
    return true;
  }

  private static void tell(
      List<Flight.Waiter> waiters, @Nullable IssuedToken token, @Nullable Status failure) {
    for (Flight.Waiter waiter : waiters) {
      try {
        if (token != null) {
          waiter.ready(token);
        } else if (failure != null) {
          waiter.failed(failure);
        }
      } catch (Throwable thrown) {
        // One waiter's trouble is not the others'. Its class only: the text is not ours.
        LOGGER.log(
            Level.WARNING, "A call could not take its token: {0}", thrown.getClass().getName());
      }
    }
  }

  private void report(
      Flight flight,
      TokenState next,
      long now,
      long delay,
      @Nullable IssuedToken usable,
      boolean nobodyWaited) {
    FetchFailure failure = next.failure();
    if (failure == null) {
      IssuedToken token = usable;
      Instant expiry = token == null ? Instant.ofEpochMilli(now) : token.expiry;
      events.emit(
          new TokenRefreshed(
              next.lastGeneration(),
              Duration.ofMillis(Math.max(0, now - flight.startedAt)),
              expiry));
      return;
    }
    if (nobodyWaited) {
      // No call will tell of it.
      LOGGER.log(
          Level.WARNING,
          "Background fetch of a token failed, {0} in a row, next in {1} ms; {2}: {3}",
          next.failures(),
          delay,
          usable == null ? "no token is left" : "the old token is used until " + usable.expiry,
          failure.what());
    }
    events.emit(
        new TokenRefreshFailed(
            next.failures(), Duration.ofMillis(delay), failure.permanent, failure.cause));
  }

  @Override
  public String toString() {
    TokenState now = state;
    IssuedToken token = now.token();
    return (token == null ? "no token" : token.toString())
        + (now.flight() == null ? "" : ", fetching")
        + (now.failures() == 0 ? "" : ", failures in a row: " + now.failures());
  }
}
