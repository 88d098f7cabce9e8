package dev.channelkit.testing;

import io.grpc.ClientInterceptor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Runs cells and checks of rules against one interceptor, each on a fresh one. */
final class CellRunner {
  private final Subject subject;

  CellRunner(Subject subject) {
    this.subject = subject;
  }

  /** Throws an AssertionError that names every rule that the cell saw broken. */
  void check(Cell cell) throws Exception {
    Quiet.run(
        () -> {
          Outcome bare = BareChannel.outcomeOf(cell);
          run(
              cell.toString(),
              interceptor -> CellRun.of(cell, interceptor, subject),
              (run, seen) -> new Judge(cell, subject.traits(), run.journal()).judge(seen, bare));
        });
  }

  /** Throws an AssertionError that names every rule that the check saw broken. */
  void check(RuleCheck check) throws Exception {
    Driver driver = check.driver(subject.traits());
    Quiet.run(
        () ->
            run(
                check.name(),
                interceptor ->
                    new CellRun(check.surroundings(), driver, check.rule(), interceptor, subject),
                (run, seen) -> {
                  if (!seen.seenByCaller().equals(RuleCheck.DONE)) {
                    run.journal().broke(check.rule(), "the caller saw " + seen.seenByCaller());
                  }
                }));
  }

  private void run(
      String title, Function<ClientInterceptor, CellRun> start, BiConsumer<CellRun, Outcome> judge)
      throws Exception {
    Set<Thread> before = SuiteThreads.alive();
    ClientInterceptor interceptor = subject.newInterceptor();
    // An interceptor that shares its counts with earlier ones may still hold what an executor that
    // rejects has stranded.
    Map<String, Long> heldBefore = subject.openCounts();
    try (CellRun run = start.apply(interceptor)) {
      Outcome seen = run.execute();
      run.finish();
      if (!run.hung()) {
        judge.accept(run, seen);
      }
      if (!run.cell().rejects() || !seen.startedBelow()) {
        checkCounts(run.cell(), heldBefore, run.journal());
      }
      subject.afterCell();
      List<String> threads =
          SuiteThreads.leftSince(before, subject::isSharedThread, subject.patience());
      if (!threads.isEmpty()) {
        run.journal().broke(Rule.H, "threads left: " + threads);
      }
      run.journal().throwIfBroken(title);
    }
  }

  private void checkCounts(Cell cell, Map<String, Long> heldBefore, Journal journal) {
    if (!Await.until(() -> holdsNoMoreThan(heldBefore), subject.patience())) {
      boolean unstarted = cell.ending().neverStarts() || cell.ending() == Ending.START_THROWS_BELOW;
      journal.broke(
          unstarted ? Rule.A1 : Rule.B4,
          "counts after '"
              + cell.ending()
              + "' are "
              + subject.openCounts()
              + ", before the call they were "
              + heldBefore);
    }
  }

  private boolean holdsNoMoreThan(Map<String, Long> heldBefore) {
    return subject.openCounts().entrySet().stream()
        .allMatch(count -> count.getValue() <= heldBefore.getOrDefault(count.getKey(), 0L));
  }
}
