package dev.channelkit.auth;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives secret-1, secret-2, ... with an hour to live, unless a test queued something else. */
final class FakeSource implements TokenSource {
  private final InstantSource clock;
  private final AtomicInteger fetches = new AtomicInteger();
  private final Deque<TokenSource> script = new ArrayDeque<>();
  private volatile Duration lifetime = Duration.ofHours(1);

  FakeSource(InstantSource clock) {
    this.clock = clock;
  }

  FakeSource lifetime(Duration lifetime) {
    this.lifetime = lifetime;
    return this;
  }

  /** The next fetches do this, one each. */
  synchronized FakeSource next(TokenSource... steps) {
    script.addAll(java.util.List.of(steps));
    return this;
  }

  int fetches() {
    return fetches.get();
  }

  static String value(int number) {
    return "secret-" + number;
  }

  @Override
  public Token fetch() throws Exception {
    int number = fetches.incrementAndGet();
    TokenSource step;
    synchronized (this) {
      step = script.poll();
    }
    return step != null ? step.fetch() : Token.of(value(number), clock.instant().plus(lifetime));
  }
}
