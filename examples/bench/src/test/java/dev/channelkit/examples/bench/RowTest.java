package dev.channelkit.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowTest {
  @Test
  void the_ratio_is_the_median_of_the_pairs() {
    Row row = row(null, 100, 40, 200, 60, 100, 45);
    assertThat(row.ratio()).isEqualTo(0.4);
    assertThat(row.minRatio()).isEqualTo(0.3);
    assertThat(row.maxRatio()).isEqualTo(0.45);
    assertThat(row.verdict()).isEqualTo(Verdict.NONE);
  }

  @Test
  void with_an_even_number_of_pairs_the_middle_two_are_averaged() {
    assertThat(row(null, 100, 40, 100, 50).ratio()).isEqualTo(0.45);
  }

  @Test
  void a_bar_is_met_when_the_spread_is_narrower_than_the_distance() {
    assertThat(row(Bar.ratio(0.45), 100, 30, 100, 31, 100, 33).verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void a_bar_is_missed_when_the_median_is_beyond_it() {
    assertThat(row(Bar.ratio(0.45), 100, 70, 100, 71, 100, 73).verdict())
        .isEqualTo(Verdict.NOT_MET);
  }

  @Test
  void a_row_whose_spread_is_wider_than_the_distance_is_noisy() {
    assertThat(row(Bar.ratio(0.45), 100, 30, 100, 44, 100, 46).verdict()).isEqualTo(Verdict.NOISY);
    assertThat(row(Bar.ratio(0.45), 100, 46, 100, 47, 100, 60).verdict()).isEqualTo(Verdict.NOISY);
  }

  @Test
  void bars_count_what_is_added_or_what_is_ours() {
    assertThat(row(Bar.added(600), 2000, 2500, 2100, 2590).verdict()).isEqualTo(Verdict.MET);
    assertThat(row(Bar.added(600), 2000, 2700, 2100, 2810).verdict()).isEqualTo(Verdict.NOT_MET);
    assertThat(row(Bar.absolute(120), 300, 50, 310, 55).verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void the_json_names_case_unit_baseline_ours_and_ratio_first() {
    assertThat(row(Bar.ratio(0.45), 100, 30).figures().keySet())
        .containsExactly(
            "case", "unit", "baseline", "ours", "ratio", "min", "max", "bar", "verdict");
  }

  @Test
  void a_row_without_a_pair_is_refused() {
    assertThatThrownBy(() -> new Row("case", "ns", List.of(), null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void the_table_shows_bar_and_verdict() {
    assertThat(new Results(List.of(row(Bar.ratio(0.45), 100, 30))).table())
        .contains("<= 0.45x", "met", "0.30 .. 0.30");
  }

  private static Row row(@Nullable Bar bar, double... values) {
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < values.length; i += 2) {
      pairs.add(new Pair(values[i], values[i + 1]));
    }
    return new Row("case", "ns", pairs, bar);
  }
}
