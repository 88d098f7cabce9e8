package dev.channelkit.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.examples.quickstart.TokenSourceModel.Issued;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefreshesDueTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration STALE = Duration.ofSeconds(1);

  @Test
  void a_run_without_a_call_needs_no_token() {
    assertThat(RefreshesDue.count(List.of(), List.of(), STALE)).isZero();
  }

  @Test
  void the_first_call_makes_one_fetch_due() {
    assertThat(RefreshesDue.count(calls(0), List.of(token(1, 85)), STALE)).isEqualTo(1);
  }

  @Test
  void fresh_tokens_make_none_due() {
    assertThat(RefreshesDue.count(calls(0, 100, 2084), List.of(token(1, 85)), STALE)).isEqualTo(1);
  }

  @Test
  void the_moment_at_which_a_token_becomes_stale_counts() {
    assertThat(RefreshesDue.count(calls(0, 2085), List.of(token(1, 85)), STALE)).isEqualTo(2);
  }

  @Test
  void many_calls_with_a_stale_token_make_one_due() {
    assertThat(
            RefreshesDue.count(
                calls(0, 2100, 2120, 2150, 2300), List.of(token(1, 85), token(2, 2185)), STALE))
        .isEqualTo(2);
  }

  @Test
  void a_refresh_that_never_came_is_due_all_the_same() {
    assertThat(RefreshesDue.count(calls(0, 2500, 5000), List.of(token(1, 85)), STALE)).isEqualTo(2);
  }

  @Test
  void a_fetch_that_was_too_early_is_not_due() {
    assertThat(
            RefreshesDue.count(
                calls(0, 500, 600, 2100), List.of(token(1, 85), token(2, 585)), STALE))
        .isEqualTo(1);
  }

  @Test
  void a_second_fetch_for_the_same_occasion_is_not_due() {
    List<Issued> tokens = List.of(token(1, 85), token(2, 2185), token(3, 2186));
    assertThat(RefreshesDue.count(calls(0, 2100, 2101, 2400), tokens, STALE)).isEqualTo(2);
    assertThat(tokens).hasSize(3);
  }

  @Test
  void a_token_that_nobody_uses_in_its_last_second_makes_none_due() {
    assertThat(RefreshesDue.count(calls(0, 1000), List.of(token(1, 85)), STALE)).isEqualTo(1);
  }

  private static List<Instant> calls(long... millis) {
    return Arrays.stream(millis).mapToObj(START::plusMillis).toList();
  }

  private static Issued token(long generation, long issuedMillis) {
    Instant issued = START.plusMillis(issuedMillis);
    return new Issued(generation, issued.minusMillis(85), issued, issued.plusSeconds(3));
  }
}
