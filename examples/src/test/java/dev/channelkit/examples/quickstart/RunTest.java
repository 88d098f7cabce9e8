package dev.channelkit.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sparkproject.io.grpc.CallOptions;
import org.sparkproject.io.grpc.Metadata;

class RunTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void a_call_that_carries_a_token_issued_after_its_start_was_delayed() {
    Run run =
        run(
            List.of(token(1, 85), token(2, 2185)),
            entry(0, 85, 1),
            entry(2100, 2101, 1),
            entry(2120, 2186, 2),
            entry(2200, 2201, 2));
    assertThat(run.delayed()).isEqualTo(1);
  }

  @Test
  void a_call_that_was_on_its_way_when_the_new_token_came_did_not_wait() {
    List<TokenSourceModel.Issued> tokens = List.of(token(1, 85), token(2, 2185));
    assertThat(run(tokens, entry(2180, 2186, 2)).delayed()).isZero();
    assertThat(run(tokens, entry(2174, 2186, 2)).delayed()).isEqualTo(1);
  }

  @Test
  void a_call_that_had_no_token_to_go_with_waited_however_short() {
    List<TokenSourceModel.Issued> tokens = List.of(token(1, 85), token(2, 2886));
    assertThat(run(tokens, entry(2885, 2887, 2)).delayed()).isEqualTo(1);
  }

  @Test
  void a_call_that_waited_for_the_very_first_token_does_not_count() {
    assertThat(run(List.of(token(1, 85)), entry(0, 85, 1)).delayed()).isZero();
  }

  @Test
  void a_token_that_ended_before_it_was_sent_counts() {
    List<TokenSourceModel.Issued> tokens = List.of(token(1, 85));
    assertThat(run(tokens, entry(3000, 3084, 1)).sentExpired()).isZero();
    assertThat(run(tokens, entry(3000, 3085, 1)).sentExpired()).isEqualTo(1);
  }

  @Test
  void tokens_are_told_apart_by_their_header_objects() {
    long[] newest = {1};
    Generations generations = new Generations(() -> newest[0]);
    Metadata first = new Metadata();
    Metadata second = new Metadata();
    assertThat(generations.of(first)).isEqualTo(1);
    newest[0] = 2;
    assertThat(generations.of(first)).isEqualTo(1);
    assertThat(generations.of(second)).isEqualTo(2);
    assertThat(generations.trustworthy()).isTrue();
    generations.of(new Metadata());
    assertThat(generations.trustworthy()).isFalse();
  }

  @Test
  void a_call_outside_the_log_is_left_alone() {
    RpcLog.carries(CallOptions.DEFAULT, 7);
    assertThat(new RpcLog(InstantSource.fixed(START), headers -> 0).entries()).isEmpty();
  }

  private static Run run(List<TokenSourceModel.Issued> tokens, RpcLog.Entry... rpcs) {
    return new Run(1, START, 0, Duration.ofSeconds(4), Map.of(), List.of(rpcs), Map.of(), tokens);
  }

  private static RpcLog.Entry entry(long startMillis, long sentMillis, long generation) {
    RpcLog.Entry entry = new RpcLog.Entry("AnalyzePlan", START.plusMillis(startMillis));
    entry.markSent(START.plusMillis(sentMillis), generation);
    return entry;
  }

  private static TokenSourceModel.Issued token(long generation, long issuedMillis) {
    Instant issued = START.plusMillis(issuedMillis);
    return new TokenSourceModel.Issued(
        generation, issued.minusMillis(85), issued, issued.plusSeconds(3));
  }
}
