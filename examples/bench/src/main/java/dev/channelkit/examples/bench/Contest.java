package dev.channelkit.examples.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;

/**
 * One baseline and what is held against it, in interleaved rounds: each round runs the baseline and
 * then each contender, so that a slow moment of the machine meets both sides of a pair.
 */
final class Contest {
  /**
   * What is held against the baseline.
   *
   * @param name of the row
   * @param method the benchmark's
   * @param time bar of the time; null for none
   * @param bytes bar of the allocation; null for none
   */
  record Contender(String name, String method, @Nullable Bar time, @Nullable Bar bytes) {}

  private final Class<?> benchmarks;
  private final String baseline;
  private final List<String> warm;
  private final List<Contender> contenders;

  /**
   * A contest.
   *
   * @param warm methods that every JVM warms up before the one it measures; see {@link Leg#measure}
   */
  Contest(Class<?> benchmarks, String baseline, List<String> warm, List<Contender> contenders) {
    this.benchmarks = benchmarks;
    this.baseline = baseline;
    this.warm = List.copyOf(warm);
    this.contenders = List.copyOf(contenders);
  }

  boolean hasRow(String prefix) {
    return contenders.stream().anyMatch(contender -> contender.name().startsWith(prefix));
  }

  /**
   * Measures each row once.
   *
   * @param rounds pairs per row
   * @param watch told of each fork
   * @return the rows by the names of the contenders, in their order
   */
  Map<String, List<Row>> run(int rounds, Watch watch) throws RunnerException {
    return measure(contenders, rounds, watch);
  }

  /**
   * Measures the noisy rows anew, in place of what there was.
   *
   * @param rows as {@link #run} gave them; changed
   */
  void repeatNoisy(Map<String, List<Row>> rows, int rounds, Watch watch) throws RunnerException {
    List<Contender> noisy =
        contenders.stream()
            .filter(contender -> isNoisy(rows.getOrDefault(contender.name(), List.of())))
            .toList();
    if (!noisy.isEmpty()) {
      rows.putAll(measure(noisy, rounds, watch));
    }
  }

  static boolean isNoisy(List<Row> rows) {
    return rows.stream().anyMatch(row -> row.verdict() == Verdict.NOISY);
  }

  private Map<String, List<Row>> measure(List<Contender> which, int rounds, Watch watch)
      throws RunnerException {
    Map<Contender, List<Pair>> nanos = new LinkedHashMap<>();
    Map<Contender, List<Pair>> bytes = new LinkedHashMap<>();
    for (int round = 1; round <= rounds; round++) {
      watch.fork(baseline, round, rounds);
      Leg bare = Leg.measure(benchmarks, baseline, warm);
      for (Contender contender : which) {
        watch.fork(contender.method(), round, rounds);
        Leg ours = Leg.measure(benchmarks, contender.method(), warm);
        nanos
            .computeIfAbsent(contender, key -> new ArrayList<>())
            .add(new Pair(bare.nanos(), ours.nanos()));
        bytes
            .computeIfAbsent(contender, key -> new ArrayList<>())
            .add(new Pair(bare.bytes(), ours.bytes()));
      }
    }
    Map<String, List<Row>> rows = new LinkedHashMap<>();
    nanos.forEach(
        (contender, pairs) ->
            rows.put(
                contender.name(),
                List.of(
                    new Row(contender.name(), "ns", pairs, contender.time()),
                    new Row(
                        contender.name(),
                        "B",
                        bytes.getOrDefault(contender, List.of()),
                        contender.bytes()))));
    return rows;
  }

  /** Watches a run. */
  @FunctionalInterface
  interface Watch {
    void fork(String benchmark, int round, int rounds);
  }
}
