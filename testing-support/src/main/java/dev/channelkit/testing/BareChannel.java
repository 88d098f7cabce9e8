package dev.channelkit.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What each cell looks like without an interceptor, found out once per JVM. */
final class BareChannel {
  private static final Map<Cell, Outcome> OUTCOMES = new ConcurrentHashMap<>();

  /** Only its defaults count. */
  private static final Subject NO_SUBJECT =
      () -> {
        throw new IllegalStateException("a bare channel has no interceptor");
      };

  private BareChannel() {}

  static Outcome outcomeOf(Cell cell) {
    return OUTCOMES.computeIfAbsent(
        cell,
        c -> {
          try (CellRun run = CellRun.of(c, null, NO_SUBJECT)) {
            Outcome outcome = run.execute();
            run.finish();
            run.journal().throwIfBroken("bare channel: " + c);
            return outcome;
          }
        });
  }
}
