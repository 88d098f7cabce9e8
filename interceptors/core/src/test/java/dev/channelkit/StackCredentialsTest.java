package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.Token;
import dev.channelkit.event.LogCapture;
import dev.channelkit.event.StackEventListener;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The real credentials in their place. */
class StackCredentialsTest {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final AtomicInteger fetches = new AtomicInteger();
  private final CachedCallCredentials credentials =
      CachedCallCredentials.builder(
              () -> Token.withoutExpiry("secret-" + fetches.incrementAndGet()))
          .build();
  private TextServer server;

  @BeforeEach
  void start() throws Exception {
    server = new TextServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void calls_carry_the_token_and_the_text_does_not() {
    InterceptorStack stack = InterceptorStack.builder().credentials(credentials).build();
    Channel channel = stack.applyTo(server.channel());

    call(channel, CallOptions.DEFAULT);
    call(channel, CallOptions.DEFAULT);

    assertThat(server.seenHeaders)
        .allSatisfy(
            headers -> assertThat(headers.getAll(AUTHORIZATION)).containsExactly("Bearer secret-1"))
        .hasSize(2);
    assertThat(stack).hasToString("InterceptorStack[credentials -> channel]");
    assertThat(stack.toBuilder().build()).hasToString(stack.toString());
  }

  @Test
  void the_option_of_the_credentials_keeps_them_off_one_call() {
    Channel channel =
        InterceptorStack.builder().credentials(credentials).build().applyTo(server.channel());

    call(channel, CallOptions.DEFAULT.withOption(CachedCallCredentials.ENABLED, false));

    assertThat(server.seenHeaders.get(0).containsKey(AUTHORIZATION)).isFalse();
    assertThat(fetches).hasValue(0);
  }

  @Test
  void a_listener_that_throws_an_Error_at_every_event_harms_no_call() {
    StackEventListener hostile =
        new StackEventListener() {
          @Override
          public void onTokenRefreshed(TokenRefreshed event) {
            throw new NoSuchMethodError("refreshed");
          }

          @Override
          public void onTokenRejected(TokenRejected event) {
            throw new NoSuchMethodError("rejected");
          }
        };
    Channel channel =
        InterceptorStack.builder()
            .credentials(credentials)
            .eventListener(hostile)
            .build()
            .applyTo(server.channel());

    try (LogCapture log = new LogCapture("channelkit.event")) {
      assertThat(call(channel, CallOptions.DEFAULT)).isEqualTo("hello");
      server.end = Status.UNAUTHENTICATED.withDescription("revoked");
      assertThatThrownBy(() -> call(channel, CallOptions.DEFAULT))
          .hasMessage("UNAUTHENTICATED: revoked");
      server.end = Status.OK;
      assertThat(call(channel, CallOptions.DEFAULT)).isEqualTo("hello");

      assertThat(log.records()).hasSize(1);
    }
    assertThat(fetches).hasValue(2);
  }

  private static String call(Channel channel, CallOptions options) {
    return ClientCalls.blockingUnaryCall(
        channel, TextServer.UNARY, options.withDeadlineAfter(20, TimeUnit.SECONDS), "hello");
  }
}
