package dev.channelkit.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.call.MethodSelector;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SparkRpcTest {
  @Test
  void there_are_twelve_methods() {
    assertThat(SparkRpc.values()).hasSize(12);
    assertThat(Arrays.stream(SparkRpc.values()).map(SparkRpc::fullMethodName).distinct())
        .hasSize(12);
  }

  @Test
  void exactly_these_never_create_a_session() {
    assertThat(Arrays.stream(SparkRpc.values()).filter(rpc -> !rpc.mayCreateSession()))
        .containsExactlyInAnyOrder(
            SparkRpc.GET_STATUS,
            SparkRpc.CLONE_SESSION,
            SparkRpc.REATTACH_EXECUTE,
            SparkRpc.RELEASE_EXECUTE,
            SparkRpc.RELEASE_SESSION);
  }

  @Test
  void exactly_these_carry_no_observed_id() {
    assertThat(Arrays.stream(SparkRpc.values()).filter(rpc -> !rpc.carriesObservedId()))
        .containsExactlyInAnyOrder(
            SparkRpc.REATTACH_EXECUTE,
            SparkRpc.RELEASE_EXECUTE,
            SparkRpc.RELEASE_SESSION,
            SparkRpc.FETCH_ERROR_DETAILS);
  }

  @Test
  void release_calls_are_the_two_releases_and_nothing_else() {
    MethodSelector releases = SparkConnect.releaseCalls();

    for (SparkRpc rpc : SparkRpc.values()) {
      assertThat(releases.matches(DynamicSpark.methodOf(rpc.fullMethodName())))
          .as(rpc.name())
          .isEqualTo(rpc == SparkRpc.RELEASE_EXECUTE || rpc == SparkRpc.RELEASE_SESSION);
    }
    assertThat(releases.matches(DynamicSpark.methodOf("acme.Other/ReleaseExecute"))).isFalse();
    assertThat(releases).asString().contains("ReleaseExecute", "ReleaseSession");
  }
}
