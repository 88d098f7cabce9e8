package dev.channelkit.auth;

import dev.channelkit.testing.ManualClock;
import dev.channelkit.testing.ManualScheduler;
import java.time.Duration;

/** Time, threads and a source under a test's control. */
final class Lab {
  final ManualClock clock = new ManualClock();
  final ManualScheduler scheduler = new ManualScheduler(clock);
  final HeldExecutor executor = new HeldExecutor();
  final FakeSource source = new FakeSource(clock);

  /** Fetches wait in {@link #executor}; delays after failures are the shortest. */
  CachedCallCredentials.Builder builder() {
    return builder(source);
  }

  CachedCallCredentials.Builder builder(TokenSource from) {
    return CachedCallCredentials.builder(from)
        .clock(clock)
        .scheduler(scheduler)
        .executor(executor)
        .random(() -> 0L);
  }

  /** With a first token. */
  CachedCallCredentials warm(CachedCallCredentials.Builder builder) {
    CachedCallCredentials credentials = builder.build();
    FakeCall call = FakeCall.create().applyTo(credentials);
    executor.runAll();
    call.token();
    return credentials;
  }

  void pass(long seconds) {
    clock.advance(Duration.ofSeconds(seconds));
  }
}
