package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.channelkit.event.LogCapture;
import dev.channelkit.event.StackEventListener;
import dev.channelkit.event.StackEventListener.TokenRejected;
import dev.channelkit.event.StackEvents;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What calls see of a stack when something in or below it goes wrong. */
class StackCallTest {
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final Metadata.Key<byte[]> OWN =
      Metadata.Key.of("own-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final List<String> log = new ArrayList<>();
  private TextServer server;

  @BeforeEach
  void start() throws Exception {
    server = new TextServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("A2: an interceptor that throws or returns null is a status, not a raw exception")
  void A2_a_broken_interceptor_of_the_application_fails_the_call_by_name(boolean returnsNull) {
    InterceptorStack stack =
        InterceptorStack.builder()
            .outermost(new Recorder("out", log))
            .innermost(broken(returnsNull))
            .build();
    Channel channel = stack.applyTo(server.channel());

    assertThatThrownBy(() -> unary(channel, CallOptions.DEFAULT))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            failure -> {
              assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
              assertThat(failure)
                  .hasMessageContaining("innermost(...)")
                  .hasMessageContaining(StackCallTest.class.getName())
                  .hasMessageContaining(returnsNull ? "null" : "NoSuchMethodError");
            });
    assertThat(log).endsWith("out onClose");
  }

  @ParameterizedTest
  @ValueSource(strings = {"exception", "error"})
  @DisplayName("a user's hook that throws inside our onClose: the status still arrives, once")
  void an_event_listener_that_throws_in_onClose_harms_no_call(String kind) {
    try (LogCapture capture = new LogCapture("channelkit.event")) {
      throwingHook(
          listener -> {
            StackEvents events = new StackEvents();
            return InterceptorStack.builder()
                .part(
                    FakePart.in(
                        Slot.CREDENTIALS, onClose(() -> events.emit(new TokenRejected(1))), events))
                .eventListener(listener)
                .build()
                .interceptor();
          },
          kind.equals("error") ? new NoSuchMethodError("hook") : new IllegalStateException("hook"));
      assertThat(capture.records()).hasSize(1);
    }
  }

  @Test
  @Tag("control")
  void control_a_hook_called_without_a_shield_loses_the_close() {
    assertThatThrownBy(
            () ->
                throwingHook(
                    listener -> onClose(() -> listener.onTokenRejected(new TokenRejected(1))),
                    new IllegalStateException("hook")))
        .isInstanceOf(AssertionError.class);
  }

  /** Two calls with a throwing listener: each ends with the server's status, within its second. */
  private void throwingHook(
      Function<StackEventListener, ClientInterceptor> underTest, Throwable thrown) {
    server.answers = 0;
    server.end = Status.FAILED_PRECONDITION.withDescription("from the server");
    ClientInterceptor interceptor =
        underTest.apply(
            new StackEventListener() {
              @Override
              public void onTokenRejected(TokenRejected event) {
                StackCallTest.<RuntimeException>sneak(thrown);
              }
            });
    Channel channel = server.closedLater(server.channelBuilder().intercept(interceptor).build());
    for (int i = 0; i < 2; i++) {
      List<Status> closes = new CopyOnWriteArrayList<>();
      assertThat(outcomeOf(() -> unary(recordingCloses(channel, closes), CallOptions.DEFAULT)))
          .succeedsWithin(Duration.ofSeconds(5))
          .isEqualTo("FAILED_PRECONDITION: from the server");
      assertThat(closes).hasSize(1);
    }
  }

  @Test
  @DisplayName("trailers reach the caller byte-identical through the stack, unary and mid-stream")
  void trailers_reach_the_caller_byte_identical() {
    trailersSurvive(
        InterceptorStack.builder()
            .outermost(new Recorder("out", log))
            .part(FakePart.in(Slot.LIVENESS, new Recorder("liveness", log)))
            .part(FakePart.in(Slot.MEMO, new Recorder("memo", log)))
            .innermost(new Recorder("in", log))
            .build()
            .interceptor());
  }

  @Test
  @Tag("control")
  void control_fresh_trailers_are_noticed() {
    assertThatThrownBy(() -> trailersSurvive(replacingTrailers()))
        .isInstanceOf(AssertionError.class);
  }

  private void trailersSurvive(ClientInterceptor interceptor) {
    byte[] details = new byte[300];
    for (int i = 0; i < details.length; i++) {
      details[i] = (byte) i;
    }
    byte[] own = {0, -1, 127, -128};
    server.trailers.put(DETAILS, details);
    server.trailers.put(OWN, own);
    server.end = Status.INTERNAL.withDescription("rich");
    Channel channel = server.closedLater(server.channelBuilder().intercept(interceptor).build());

    for (int answers : new int[] {0, 1}) {
      server.answers = answers;
      assertThatThrownBy(() -> unary(channel, CallOptions.DEFAULT))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class, failure -> assertTrailers(failure, details, own));
    }
    server.answers = 2;
    Iterator<String> answers =
        ClientCalls.blockingServerStreamingCall(
            channel, TextServer.STREAM, CallOptions.DEFAULT, "hello");
    assertThat(answers.next()).isEqualTo("hello");
    assertThat(answers.next()).isEqualTo("hello");
    assertThatThrownBy(answers::hasNext)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class, failure -> assertTrailers(failure, details, own));
  }

  private static void assertTrailers(StatusRuntimeException failure, byte[] details, byte[] own) {
    assertThat(failure).hasMessage("INTERNAL: rich");
    assertThat(failure.getTrailers()).isNotNull();
    assertThat(failure.getTrailers().getAll(DETAILS)).containsExactly(details);
    assertThat(failure.getTrailers().getAll(OWN)).containsExactly(own);
  }

  @Test
  void calls_pass_after_close_as_before() {
    InterceptorStack stack = InterceptorStack.builder().outermost(new Recorder("x", log)).build();
    Channel channel = stack.applyTo(server.channel());

    stack.close();

    assertThat(unary(channel, CallOptions.DEFAULT)).isEqualTo("hello");
    assertThat(unary(stack.applyTo(server.channel()), CallOptions.DEFAULT)).isEqualTo("hello");
  }

  /** On a thread of its own: a blocking stub that is told no close waits for ever. */
  private static CompletableFuture<String> outcomeOf(Supplier<String> call) {
    CompletableFuture<String> outcome = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                outcome.complete(call.get());
              } catch (StatusRuntimeException failure) {
                outcome.complete(failure.getMessage());
              }
            },
            "blocking-call");
    thread.setDaemon(true);
    thread.start();
    return outcome;
  }

  private static String unary(Channel channel, CallOptions options) {
    return ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, options, "hello");
  }

  private static ClientInterceptor broken(boolean returnsNull) {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        if (returnsNull) {
          return null;
        }
        throw new NoSuchMethodError("old library");
      }
    };
  }

  private static Channel recordingCloses(Channel channel, List<Status> closes) {
    return io.grpc.ClientInterceptors.intercept(
        channel, forwarding((status, trailers) -> closes.add(status), trailers -> trailers));
  }

  private static ClientInterceptor onClose(Runnable hook) {
    return forwarding((status, trailers) -> hook.run(), trailers -> trailers);
  }

  private static ClientInterceptor replacingTrailers() {
    return forwarding((status, trailers) -> {}, trailers -> new Metadata());
  }

  private static ClientInterceptor forwarding(
      java.util.function.BiConsumer<Status, Metadata> before, Function<Metadata, Metadata> change) {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
          @Override
          public void start(Listener<R> listener, Metadata headers) {
            super.start(
                new SimpleForwardingClientCallListener<>(listener) {
                  @Override
                  public void onClose(Status status, Metadata trailers) {
                    before.accept(status, trailers);
                    super.onClose(status, change.apply(trailers));
                  }
                },
                headers);
          }
        };
      }
    };
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
