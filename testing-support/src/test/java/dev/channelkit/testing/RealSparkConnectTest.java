package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against Apache Spark itself. */
@Timeout(600)
class RealSparkConnectTest {
  private static final String TOKEN = "s3cret-of-the-test";

  @Test
  @DisplayName("4.2.0: token, wrong token, kill -9, restart on the same port, and a clean end")
  void newest() {
    List<String> progress = new ArrayList<>();
    RealSparkConnect server =
        RealSparkConnect.builder(RealSparkConnect.NEWEST)
            .authToken(TOKEN)
            .conf("spark.connect.session.manager.defaultSessionTimeout", "60s")
            .onProgress(progress::add)
            .start();
    ManagedChannel channel = RawSparkCall.channel(server.port());
    try (server) {
      assertThat(progress).anyMatch(line -> line.contains("is starting"));
      assertThat(server.uri()).hasToString("sc://localhost:" + server.port());
      assertThat(RawSparkCall.sparkVersion(channel, TOKEN)).contains("4.2.0");
      assertStatus(channel, "wrong", Status.Code.UNAUTHENTICATED);

      long first = server.pid();
      int port = server.port();
      server.kill();
      assertThat(server.isAlive()).isFalse();
      // A new channel: the old one may be about to notice, and then says UNKNOWN once.
      ManagedChannel late = RawSparkCall.channel(port);
      try {
        assertStatus(late, TOKEN, Status.Code.UNAVAILABLE);
      } finally {
        late.shutdownNow();
      }

      server.restart();
      assertThat(server.port()).isEqualTo(port);
      assertThat(server.pid()).isNotEqualTo(first);
      channel.resetConnectBackoff();
      assertThat(RawSparkCall.sparkVersion(channel, TOKEN, CallOptions.DEFAULT.withWaitForReady()))
          .contains("4.2.0");
    } finally {
      channel.shutdownNow();
    }
    assertThat(server.isAlive()).isFalse();
    assertThat(server.log()).noneMatch(line -> line.contains(TOKEN));
    assertThat(server.toString()).doesNotContain(TOKEN);
  }

  @Test
  @DisplayName("4.0.1 answers, or says which JDK it needs")
  void oldest() {
    RealSparkConnect.Builder builder =
        RealSparkConnect.builder(RealSparkConnect.OLDEST).authToken(TOKEN);
    if (Runtime.version().feature() >= 24) {
      assertThatThrownBy(builder::start).hasMessageContaining("javaHome(Path)");
      return;
    }
    RealSparkConnect server = builder.start();
    ManagedChannel channel = RawSparkCall.channel(server.port());
    try (server) {
      assertThat(RawSparkCall.sparkVersion(channel, TOKEN)).contains("4.0.1");
      assertStatus(channel, "wrong", Status.Code.UNAUTHENTICATED);
      server.stop();
      assertThat(server.isAlive()).isFalse();
    } finally {
      channel.shutdownNow();
    }
  }

  private static void assertStatus(ManagedChannel channel, String token, Status.Code code) {
    assertThatThrownBy(() -> RawSparkCall.sparkVersion(channel, token))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class, e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
  }
}
