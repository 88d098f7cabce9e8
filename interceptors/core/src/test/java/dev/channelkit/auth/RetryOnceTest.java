package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Deadline;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** E7 and C13: a refused unary call is sent once more with the next token, if asked for. */
class RetryOnceTest {
  private final Lab lab = new Lab();
  private final TextServer server = new TextServer();
  private final CachedCallCredentials credentials =
      lab.builder().executor(Runnable::run).retryOnceOnUnauthenticated(true).build();
  private final Channel channel =
      ClientInterceptors.intercept(server.channel(), credentials.interceptor());

  @AfterEach
  void close() {
    server.close();
  }

  private static TextServer.Refusal refused() {
    return TextServer.Refusal.of(Status.UNAUTHENTICATED.withDescription("revoked"));
  }

  private String unary() {
    return ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, CallOptions.DEFAULT, "a");
  }

  @Test
  void theCallerSeesOnlyTheSecondAnswer() {
    server.script((number, authorization) -> number == 1 ? refused() : null);

    assertThat(unary()).isEqualTo("echo a");
    assertThat(server.authorizations).containsExactly("Bearer secret-1", "Bearer secret-2");
    // The server notes the end of a call on a thread of its own.
    await().untilAsserted(() -> assertThat(server.open).hasValue(0));
  }

  @Test
  void everyStubKindWorks() throws Exception {
    server.script((number, auth) -> auth.endsWith("-1") ? refused() : null);
    assertThat(
            ClientCalls.futureUnaryCall(channel.newCall(TextServer.UNARY, CallOptions.DEFAULT), "b")
                .get(10, TimeUnit.SECONDS))
        .isEqualTo("echo b");
    assertThat(unary()).isEqualTo("echo a");
  }

  @Test
  void aSecondRefusalIsReturnedAsItIs() {
    Metadata.Key<byte[]> details =
        Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
    server.script(
        (number, authorization) -> {
          Metadata trailers = new Metadata();
          trailers.put(details, new byte[] {(byte) number});
          return new TextServer.Refusal(
              Status.UNAUTHENTICATED.withDescription("no " + number), trailers, false, false);
        });

    assertThatThrownBy(this::unary)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getDescription()).isEqualTo("no 2");
              assertThat(e.getTrailers().get(details)).containsExactly(2);
            });
    assertThat(server.calls()).isEqualTo(2);
    assertThat(lab.source.fetches()).isEqualTo(2);
  }

  @Test
  void streamingCallsAreNeverSentAgain() {
    server.script((number, authorization) -> refused());

    assertThatThrownBy(
            () ->
                ClientCalls.blockingServerStreamingCall(
                        channel, TextServer.STREAM, CallOptions.DEFAULT, "a")
                    .hasNext())
        .isInstanceOf(StatusRuntimeException.class);
    assertThat(server.calls()).isEqualTo(1);
  }

  @Test
  void offByDefault() {
    server.script((number, authorization) -> number == 1 ? refused() : null);
    Channel plain =
        ClientInterceptors.intercept(
            server.channel(), lab.builder().executor(Runnable::run).build().interceptor());

    assertThatThrownBy(
            () -> ClientCalls.blockingUnaryCall(plain, TextServer.UNARY, CallOptions.DEFAULT, "a"))
        .isInstanceOf(StatusRuntimeException.class);
    assertThat(server.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("C13 no second attempt once headers or a message have reached the application")
  void notAfterTheFirstAnswer() {
    server.script(
        (number, authorization) ->
            new TextServer.Refusal(
                Status.UNAUTHENTICATED, new Metadata(), number == 1, number == 2));

    assertThatThrownBy(this::unary).isInstanceOf(StatusRuntimeException.class);
    assertThat(server.calls()).isEqualTo(1);
  }

  @Test
  void aServerThatPushesBackIsObeyed() {
    Metadata trailers = new Metadata();
    trailers.put(Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER), "-1");
    server.script(
        (number, authorization) ->
            new TextServer.Refusal(Status.UNAUTHENTICATED, trailers, false, false));

    assertThatThrownBy(this::unary).isInstanceOf(StatusRuntimeException.class);
    assertThat(server.calls()).isEqualTo(1);
  }

  @Test
  void withoutAnotherTokenThereIsNothingToRepeat() {
    // The drop of secret-1 uses up the minute; secret-2 is refused too and stays.
    server.script((number, authorization) -> refused());
    assertThatThrownBy(this::unary).isInstanceOf(StatusRuntimeException.class);
    assertThat(server.calls()).isEqualTo(2);

    assertThatThrownBy(this::unary).isInstanceOf(StatusRuntimeException.class);

    assertThat(server.calls()).isEqualTo(3);
    assertThat(lab.source.fetches()).isEqualTo(2);
  }

  /** Attempts of a fake channel, driven by hand. */
  @Nested
  class ByHand {
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private Consumer<Attempt> onSecondStart = attempt -> {};
    private final Channel byHand =
        new Channel() {
          @Override
          public <Q, R> ClientCall<Q, R> newCall(
              MethodDescriptor<Q, R> method, CallOptions options) {
            Attempt attempt = new Attempt(options);
            if (!attempts.isEmpty()) {
              attempt.onStart = () -> onSecondStart.accept(attempt);
            }
            attempts.add(attempt);
            @SuppressWarnings("unchecked")
            ClientCall<Q, R> call = (ClientCall<Q, R>) attempt;
            return call;
          }

          @Override
          public String authority() {
            return "by-hand";
          }
        };
    private final ClientCall.Listener<Object> listener =
        new ClientCall.Listener<>() {
          @Override
          public void onHeaders(Metadata headers) {
            seen.add("headers");
          }

          @Override
          public void onMessage(Object message) {
            seen.add("message " + message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            seen.add("close " + status.getCode());
          }
        };

    /** Carries the token as a transport would and notes what is done to it. */
    private static final class Attempt extends ClientCall<Object, Object> {
      final CallOptions options;
      final List<String> done = new ArrayList<>();
      Metadata headers;
      Listener<Object> listener;
      Runnable onStart = () -> {};

      Attempt(CallOptions options) {
        this.options = options;
      }

      @Override
      public void start(Listener<Object> listener, Metadata headers) {
        this.listener = listener;
        this.headers = headers;
        done.add("start");
        FakeCall applied = FakeCall.create().options(options).applyTo(options.getCredentials());
        headers.merge(applied.headers());
        onStart.run();
      }

      @Override
      public void request(int numMessages) {
        done.add("request " + numMessages);
      }

      @Override
      public void cancel(String message, Throwable cause) {
        done.add("cancel " + message);
      }

      @Override
      public void halfClose() {
        done.add("halfClose");
      }

      @Override
      public void sendMessage(Object message) {
        done.add("send " + message);
      }
    }

    private ClientCall<Object, Object> started(CallOptions options, Metadata headers) {
      @SuppressWarnings("unchecked")
      MethodDescriptor<Object, Object> method =
          (MethodDescriptor<Object, Object>) (MethodDescriptor<?, ?>) TextServer.UNARY;
      ClientInterceptor interceptor = credentials.interceptor();
      ClientCall<Object, Object> call = interceptor.interceptCall(method, options, byHand);
      call.start(listener, headers);
      return call;
    }

    private void refuse(int attempt) {
      attempts.get(attempt).listener.onClose(Status.UNAUTHENTICATED, new Metadata());
    }

    @Test
    @DisplayName("C13 headers are copied before the first start; each attempt carries one token")
    void headersAreCopied() {
      Metadata headers = new Metadata();
      headers.put(IssuedToken.AUTHORIZATION, "Bearer old");
      started(CallOptions.DEFAULT, headers);
      refuse(0);

      assertThat(attempts.get(0).headers.getAll(IssuedToken.AUTHORIZATION))
          .containsExactly("Bearer secret-1");
      assertThat(attempts.get(1).headers.getAll(IssuedToken.AUTHORIZATION))
          .containsExactly("Bearer secret-2");
      assertThat(attempts.get(0).headers).isSameAs(headers);
    }

    @Test
    @DisplayName("C13 demand, message and half-close are issued again, in order")
    void everythingIsSentAgain() {
      ClientCall<Object, Object> call = started(CallOptions.DEFAULT, new Metadata());
      call.request(2);
      call.setMessageCompression(false);
      call.sendMessage("m");
      call.halfClose();
      refuse(0);

      assertThat(attempts.get(1).done).containsExactly("start", "request 2", "send m", "halfClose");
    }

    @Test
    @DisplayName("What the application does after the refusal goes to the second attempt")
    void laterOperationsGoToTheSecondAttempt() {
      ClientCall<Object, Object> call = started(CallOptions.DEFAULT, new Metadata());
      call.request(1);
      refuse(0);
      call.request(1);
      call.sendMessage("m");
      call.halfClose();
      call.cancel("enough", null);

      assertThat(attempts.get(0).done).containsExactly("start", "request 1");
      assertThat(attempts.get(1).done)
          .containsExactly(
              "start", "request 1", "request 1", "send m", "halfClose", "cancel enough");
    }

    @Test
    @DisplayName("C13 late callbacks of the first attempt are ignored")
    void lateCallbacksAreIgnored() {
      started(CallOptions.DEFAULT, new Metadata());
      refuse(0);
      ClientCall.Listener<Object> late = attempts.get(0).listener;
      late.onHeaders(new Metadata());
      late.onMessage("late");
      late.onReady();
      late.onClose(Status.OK, new Metadata());
      attempts.get(1).listener.onMessage("right");
      attempts.get(1).listener.onClose(Status.OK, new Metadata());

      assertThat(seen).containsExactly("message right", "close OK");
    }

    @Test
    void theDeadlineStaysTheSameAndAPassedOneEndsIt() {
      Deadline deadline = lab.clock.deadlineAfter(java.time.Duration.ofSeconds(1));
      started(CallOptions.DEFAULT.withDeadline(deadline), new Metadata());
      refuse(0);
      assertThat(attempts.get(1).options.getDeadline()).isSameAs(deadline);

      started(CallOptions.DEFAULT.withDeadline(deadline), new Metadata());
      lab.pass(61);
      refuse(2);
      assertThat(attempts).hasSize(3);
      assertThat(seen).containsExactly("close UNAUTHENTICATED");
    }

    @Test
    void aCancelledCallIsNotSentAgain() {
      ClientCall<Object, Object> call = started(CallOptions.DEFAULT, new Metadata());
      call.cancel("enough", null);
      refuse(0);

      assertThat(attempts).hasSize(1);
      assertThat(seen).containsExactly("close UNAUTHENTICATED");
    }

    @Test
    void aMessageThatCanBeReadOnceIsNotSentAgain() {
      ClientCall<Object, Object> call = started(CallOptions.DEFAULT, new Metadata());
      InputStream once = new ByteArrayInputStream(new byte[3]);
      call.sendMessage(once);
      refuse(0);

      assertThat(attempts).hasSize(1);
    }

    @Test
    @DisplayName(
        "A second start that throws once it is below: it is cancelled, and one close arrives")
    void aSecondStartThatThrowsLateClosesOnce() {
      RuntimeException late = new IllegalStateException("thrown by an interceptor below");
      onSecondStart = attempt -> throwLate(late);
      started(CallOptions.DEFAULT, new Metadata());
      refuse(0);

      assertThat(attempts.get(1).done)
          .containsExactly("start", "cancel the call could not be sent again");
      attempts.get(1).listener.onMessage("of a call that nobody waits for");
      attempts.get(1).listener.onClose(Status.CANCELLED, new Metadata());
      assertThat(seen).containsExactly("close UNAUTHENTICATED");
    }

    private void throwLate(RuntimeException late) {
      throw late;
    }

    @Test
    @DisplayName("While the delay after failures runs there is no other token: the refusal stays")
    void duringTheDelayThereIsNothingToRepeat() {
      started(CallOptions.DEFAULT, new Metadata());
      lab.source.next(() -> null, () -> null);
      lab.pass(3400);
      FakeCall.create().applyTo(credentials).token();
      FakeCall.create().applyTo(credentials).token();
      assertThat(lab.source.fetches()).isEqualTo(3);

      refuse(0);

      assertThat(attempts).hasSize(1);
      assertThat(seen).containsExactly("close UNAUTHENTICATED");
    }

    @Test
    @DisplayName("B10 headers, trailers and status reach the application as the very same objects")
    void inboundMetadataIsPassedOnAndNotKept() {
      List<Object> same = new ArrayList<>();
      Metadata headers = new Metadata();
      Metadata trailers = new Metadata();
      @SuppressWarnings("unchecked")
      MethodDescriptor<Object, Object> method =
          (MethodDescriptor<Object, Object>) (MethodDescriptor<?, ?>) TextServer.UNARY;
      ClientCall<Object, Object> call =
          credentials.interceptor().interceptCall(method, CallOptions.DEFAULT, byHand);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onHeaders(Metadata received) {
              same.add(received == headers);
              received.removeAll(IssuedToken.AUTHORIZATION);
            }

            @Override
            public void onClose(Status status, Metadata received) {
              same.add(received == trailers);
            }
          },
          new Metadata());
      headers.put(IssuedToken.AUTHORIZATION, "the server's own");
      attempts.get(0).listener.onHeaders(headers);
      attempts.get(0).listener.onClose(Status.UNAUTHENTICATED, trailers);

      assertThat(same).containsExactly(true, true);
      assertThat(headers.keys()).isEmpty();
      assertThat(trailers.keys()).isEmpty();
    }

    @Test
    @DisplayName("A request that will not be sent again is not held until the call ends")
    void theRequestIsNotHeldOnceTheServerAnswers() throws Exception {
      ClientCall<Object, Object> call = started(CallOptions.DEFAULT, new Metadata());
      WeakReference<Object> request = send(call, new byte[1 << 20]);
      attempts.get(0).listener.onHeaders(new Metadata());

      Awaitility.await()
          .until(
              () -> {
                System.gc();
                return request.get() == null;
              });
      call.halfClose();
    }

    private WeakReference<Object> send(ClientCall<Object, Object> call, Object request) {
      call.sendMessage(request);
      return new WeakReference<>(request);
    }

    @Test
    @DisplayName("An attempt that never got a token says nothing of the token of the one before")
    void aRefusalOfOursDropsNoToken() {
      started(CallOptions.DEFAULT, new Metadata());
      FakeCall plaintext = FakeCall.create().level(SecurityLevel.NONE);
      plaintext.applyTo(attempts.get(0).options.getCredentials()).status();
      refuse(0);

      assertThat(attempts).hasSize(1);
      assertThat(lab.source.fetches()).isEqualTo(1);
      assertThat(credentials.toString()).contains("generation 1");
    }

    @Test
    void aSecondAttemptThatCannotBeMadeLeavesTheRefusal() {
      started(CallOptions.DEFAULT, new Metadata());
      lab.source.next(() -> null, () -> null);
      // Both fetches after the refusal fail, so the fake transport throws at the second start.
      refuse(0);

      assertThat(attempts).hasSize(2);
      assertThat(seen).containsExactly("close UNAUTHENTICATED");
    }
  }

  @Test
  @DisplayName("C2: one close, whatever an interceptor further in does to the second start")
  void aSecondStartThatThrowsClosesOnce() throws Exception {
    for (boolean closesFirst : new boolean[] {true, false}) {
      CachedCallCredentials own =
          lab.builder().executor(Runnable::run).retryOnceOnUnauthenticated(true).build();
      AtomicInteger starts = new AtomicInteger();
      AtomicInteger cancels = new AtomicInteger();
      IllegalStateException thrown = new IllegalStateException("after the start");
      ClientInterceptor hostile =
          new ClientInterceptor() {
            @Override
            public <Q, R> ClientCall<Q, R> interceptCall(
                MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
              return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<R> listener, Metadata headers) {
                  boolean second = starts.incrementAndGet() == 2;
                  if (second && closesFirst) {
                    listener.onClose(Status.ABORTED, new Metadata());
                  } else {
                    super.start(listener, headers);
                  }
                  if (second) {
                    throw thrown;
                  }
                }

                @Override
                public void cancel(String message, Throwable cause) {
                  cancels.incrementAndGet();
                  super.cancel(message, cause);
                  throw thrown; // the very same again
                }
              };
            }
          };
      server.script((number, authorization) -> authorization.endsWith("x") ? null : refused());
      List<Status> closes = new CopyOnWriteArrayList<>();
      CountDownLatch closed = new CountDownLatch(1);
      ManagedChannel below = server.channel();
      ClientCall<String, String> call =
          ClientInterceptors.intercept(
                  ClientInterceptors.intercept(below, hostile), own.interceptor())
              .newCall(TextServer.UNARY, CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<String>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              closes.add(status);
              closed.countDown();
            }
          },
          new Metadata());
      call.request(2);
      call.sendMessage("a");
      call.halfClose();
      assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
      below.shutdownNow();
      assertThat(below.awaitTermination(10, TimeUnit.SECONDS)).isTrue();

      assertThat(closes)
          .extracting(Status::getCode)
          .containsExactly(closesFirst ? Status.Code.ABORTED : Status.Code.UNAUTHENTICATED);
      assertThat(cancels).hasValueGreaterThanOrEqualTo(1);
    }
  }
}
