package dev.channelkit.examples.bench;

import dev.channelkit.examples.bench.Contest.Contender;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code examples/run bench stack}: what the stack, the credentials and the session key cost. */
@Command(
    name = "stack",
    mixinStandardHelpOptions = true,
    description =
        "The stack on a healthy call, warm credentials, and the session key of a request.")
final class StackSuite implements Callable<Integer> {
  /** After this long a noisy row is not repeated any more, so that the run ends in ten minutes. */
  private static final Duration NO_REPEAT_AFTER = Duration.ofSeconds(480);

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "5",
      description = "Interleaved pairs per row, at least 1; default: ${DEFAULT-VALUE}")
  private int pairs = 5;

  @Option(
      names = "--only",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Only contests with a row whose name starts so, such as \"call\"; default: all")
  private String only = "";

  @Option(
      names = "--output",
      paramLabel = "FILE",
      defaultValue = "${sys:channelkit.examples.root:-.}/examples/target/bench/stack.json",
      description = "Where the rows go; default: ${DEFAULT-VALUE}")
  private Path output = Path.of("stack.json");

  static final List<Contest> CONTESTS =
      List.of(
          new Contest(
              CallBenchmark.class,
              "bare",
              List.of("bare", "stack"),
              List.of(
                  new Contender(
                      "call: 1 forwarding interceptor / bare", "oneForwarding", null, null),
                  new Contender(
                      "call: 3 forwarding interceptors / bare", "threeForwarding", null, null),
                  new Contender(
                      "call: stack (3 forwarding + credentials) / bare",
                      "stack",
                      Bar.added(600),
                      Bar.added(500)))),
          new Contest(
              CredentialsBenchmark.class,
              "grpcAuth",
              List.of(),
              List.of(
                  new Contender(
                      "warm credentials / grpc-auth", "cached", Bar.ratio(0.45), Bar.ratio(0.4)))),
          new Contest(
              SessionKeyBenchmark.class,
              "byName",
              List.of(),
              List.of(
                  new Contender(
                      "session key, generated message / by name",
                      "generated",
                      Bar.absolute(120),
                      Bar.absolute(150)),
                  new Contender("session key, dynamic message / by name", "dynamic", null, null),
                  new Contender(
                      "session key, encoded bytes / by name", "bytes", Bar.absolute(150), null))));

  @Override
  public Integer call() throws Exception {
    long start = System.nanoTime();
    Contest.Watch watch =
        (benchmark, round, rounds) ->
            System.err.printf(
                Locale.ROOT,
                "%4d s  %s, round %d of %d%n",
                elapsed(start).toSeconds(),
                benchmark,
                round,
                rounds);
    int rounds = Math.max(1, pairs);
    Map<Contest, Map<String, List<Row>>> measured = new LinkedHashMap<>();
    List<Contest> chosen = CONTESTS.stream().filter(each -> each.hasRow(only)).toList();
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException("--only: no row starts with '" + only + "'");
    }
    for (Contest contest : chosen) {
      measured.put(contest, contest.run(rounds, watch));
    }
    for (int repeat = 1; repeat <= 3; repeat++) {
      for (Map.Entry<Contest, Map<String, List<Row>>> entry : measured.entrySet()) {
        if (elapsed(start).compareTo(NO_REPEAT_AFTER) < 0) {
          entry.getKey().repeatNoisy(entry.getValue(), rounds, watch);
        }
      }
    }
    List<Row> rows =
        measured.values().stream()
            .flatMap(contest -> contest.values().stream())
            .flatMap(List::stream)
            .toList();
    Results results = new Results(rows);
    results.write(output);
    System.out.println();
    System.out.println(results.table());
    System.out.println(
        "ratio: median of the pairs' ratios; bars with + count what is added to the baseline");
    System.out.println("rows: " + output.normalize());
    return 0;
  }

  private static Duration elapsed(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
