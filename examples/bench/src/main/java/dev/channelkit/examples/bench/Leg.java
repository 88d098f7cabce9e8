package dev.channelkit.examples.bench;

import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.runner.options.WarmupMode;

/**
 * One fork of one benchmark.
 *
 * @param nanos per operation
 * @param bytes allocated per operation
 */
record Leg(double nanos, double bytes) {

  /**
   * Runs a benchmark in a JVM of its own.
   *
   * @param warm other methods to warm up in that JVM before it, so that every JVM of a contest
   *     compiles what they share from the same profile
   */
  static Leg measure(Class<?> benchmarks, String method, List<String> warm) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(pattern(benchmarks, method))
            .warmupMode(warm.isEmpty() ? WarmupMode.INDI : WarmupMode.BULK);
    warm.forEach(other -> options.includeWarmup(pattern(benchmarks, other)));
    RunResult result =
        new Runner(
                options
                    .forks(1)
                    .warmupIterations(6)
                    .warmupTime(TimeValue.milliseconds(500))
                    .measurementIterations(10)
                    .measurementTime(TimeValue.milliseconds(120))
                    .addProfiler(GCProfiler.class)
                    .verbosity(VerboseMode.SILENT)
                    .shouldFailOnError(true)
                    // One collector thread and a fixed heap: two cores have none to spare.
                    .jvmArgs("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC")
                    .build())
            .runSingle();
    // The median of the iterations: one that the machine spent elsewhere does not count.
    return new Leg(
        result.getPrimaryResult().getStatistics().getPercentile(50),
        allocated(result.getSecondaryResults()));
  }

  private static String pattern(Class<?> benchmarks, String method) {
    return "^" + (benchmarks.getName() + "." + method).replace(".", "\\.") + "$";
  }

  @SuppressWarnings("rawtypes") // JMH's own signature
  private static double allocated(Map<String, Result> secondary) {
    return secondary.entrySet().stream()
        .filter(entry -> entry.getKey().endsWith("gc.alloc.rate.norm"))
        .mapToDouble(entry -> entry.getValue().getStatistics().getPercentile(50))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("JMH gave no gc.alloc.rate.norm: " + secondary));
  }
}
