package dev.channelkit.examples.bench;

import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One fork of one benchmark.
 *
 * @param nanos per operation
 * @param bytes allocated per operation
 */
record Leg(double nanos, double bytes) {

  /** Runs a benchmark in a JVM of its own. */
  static Leg measure(Class<?> benchmarks, String method) throws RunnerException {
    RunResult result =
        new Runner(
                new OptionsBuilder()
                    .include("^" + (benchmarks.getName() + "." + method).replace(".", "\\.") + "$")
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
