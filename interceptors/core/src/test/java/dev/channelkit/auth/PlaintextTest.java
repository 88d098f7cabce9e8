package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** E5: no token over a connection that others can read. */
class PlaintextTest {
  private final Lab lab = new Lab();

  private static Attributes to(SocketAddress address) {
    return Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, address).build();
  }

  private static Attributes to(String ip) throws UnknownHostException {
    return to(new InetSocketAddress(InetAddress.getByName(ip), 443));
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "INTEGRITY"})
  @DisplayName("E5 below PRIVACY_AND_INTEGRITY a token is refused, loopback too unless opted in")
  void refusedByDefault(SecurityLevel level) throws Exception {
    CachedCallCredentials credentials = lab.warm(lab.builder());
    for (Attributes attributes : new Attributes[] {to("10.0.0.7"), to("127.0.0.1")}) {
      Status status =
          FakeCall.create().level(level).attributes(attributes).applyTo(credentials).status();

      assertThat(status.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(status.getDescription())
          .contains("not encrypted")
          .contains(level.name())
          .contains("host.example")
          .contains("allowPlaintextToLoopback");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "::1, true",
    "127.8.8.8, true",
    "::ffff:127.0.0.1, true",
    "10.0.0.7, false",
    "0.0.0.0, false",
    "2001:db8::1, false"
  })
  @DisplayName("E5 with the opt-in, loopback addresses only")
  void optInIsForLoopbackOnly(String ip, boolean allowed) throws Exception {
    CachedCallCredentials credentials = lab.warm(lab.builder().allowPlaintextToLoopback(true));
    FakeCall call =
        FakeCall.create().level(SecurityLevel.NONE).attributes(to(ip)).applyTo(credentials);

    if (allowed) {
      assertThat(call.token()).isEqualTo("Bearer secret-1");
    } else {
      assertThat(call.status().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(call.status().getDescription()).contains("loopback");
    }
  }

  @Test
  void anUnknownRemoteAddressIsRefused() {
    CachedCallCredentials credentials = lab.warm(lab.builder().allowPlaintextToLoopback(true));
    for (Attributes attributes :
        new Attributes[] {
          Attributes.EMPTY,
          null,
          to(InetSocketAddress.createUnresolved("localhost", 443)),
          to(new SocketAddress() {})
        }) {
      assertThat(
              FakeCall.create()
                  .level(SecurityLevel.NONE)
                  .attributes(attributes)
                  .applyTo(credentials)
                  .status()
                  .getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
    }
  }

  @Test
  void aRefusedCallFetchesNothing() {
    CachedCallCredentials credentials = lab.builder().build();
    FakeCall.create().level(SecurityLevel.NONE).applyTo(credentials).status();

    assertThat(lab.executor.held()).isZero();
  }

  @Test
  @DisplayName("E5 over a real plaintext socket: nothing reaches the server unless opted in")
  void overARealSocket() throws Exception {
    try (TextServer server =
        new TextServer(
            NettyServerBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))) {
      ManagedChannel channel =
          server.channel(
              NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext(), b -> b);

      assertThatThrownBy(() -> call(channel, lab.builder().executor(Runnable::run).build()))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> {
                assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
                assertThat(e).hasMessageContaining("not encrypted");
              });
      assertThat(server.calls()).isZero();

      String answer =
          call(
              channel,
              lab.builder().executor(Runnable::run).allowPlaintextToLoopback(true).build());

      assertThat(answer).isEqualTo("echo a");
      assertThat(server.authorizations).containsExactly("Bearer secret-1");
    }
  }

  private static String call(ManagedChannel channel, CachedCallCredentials credentials) {
    return ClientCalls.blockingUnaryCall(
        io.grpc.ClientInterceptors.intercept(channel, credentials.interceptor()),
        TextServer.UNARY,
        CallOptions.DEFAULT,
        "a");
  }
}
