package dev.channelkit.examples.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One line of the result.
 *
 * @param name what is measured
 * @param unit of the measurements: ns or B per operation
 * @param pairs at least one
 * @param bar what it has to reach; null if it is there for comparison only
 */
record Row(String name, String unit, List<Pair> pairs, @Nullable Bar bar) {
  Row {
    if (pairs.isEmpty()) {
      throw new IllegalArgumentException("a row without a pair: " + name);
    }
    pairs = List.copyOf(pairs);
  }

  double baseline() {
    return median(Pair::baseline);
  }

  double ours() {
    return median(Pair::ours);
  }

  /** The median of the pairs' ratios, not the ratio of the medians. */
  double ratio() {
    return median(Pair::ratio);
  }

  double minRatio() {
    return pairs.stream().mapToDouble(Pair::ratio).min().orElseThrow();
  }

  double maxRatio() {
    return pairs.stream().mapToDouble(Pair::ratio).max().orElseThrow();
  }

  /** Judges: noisy where the spread of the pairs is wider than the median's distance to the bar. */
  Verdict verdict() {
    Bar to = bar;
    if (to == null) {
      return Verdict.NONE;
    }
    double[] values = pairs.stream().mapToDouble(to::of).sorted().toArray();
    double spread = values[values.length - 1] - values[0];
    double value = median(to::of);
    if (spread > Math.abs(to.limit() - value)) {
      return Verdict.NOISY;
    }
    return value <= to.limit() ? Verdict.MET : Verdict.NOT_MET;
  }

  /** The row as it goes into the JSON. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("case", name);
    figures.put("unit", unit);
    figures.put("baseline", round(baseline()));
    figures.put("ours", round(ours()));
    figures.put("ratio", round(ratio()));
    figures.put("min", round(minRatio()));
    figures.put("max", round(maxRatio()));
    Bar to = bar;
    if (to != null) {
      figures.put("bar", to.text(unit));
      figures.put("verdict", verdict().text());
    }
    return figures;
  }

  private double median(ToDoubleFunction<Pair> what) {
    double[] values = pairs.stream().mapToDouble(what).toArray();
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  private static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
