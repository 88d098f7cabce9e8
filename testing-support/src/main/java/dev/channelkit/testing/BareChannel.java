package dev.channelkit.testing;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** What each cell looks like without an interceptor, found out once per JVM. */
final class BareChannel {
  private static final Map<Cell, Outcome> OUTCOMES = new ConcurrentHashMap<>();

  private BareChannel() {}

  static Outcome outcomeOf(Cell cell, Duration patience) {
    return OUTCOMES.computeIfAbsent(
        cell,
        c -> {
          try (CellRun run = CellRun.of(c, null, UnaryOperator.identity(), patience)) {
            Outcome outcome = run.execute();
            run.finish(outcome.openOnServer());
            run.journal().throwIfBroken("bare channel: " + c);
            return outcome;
          }
        });
  }
}
