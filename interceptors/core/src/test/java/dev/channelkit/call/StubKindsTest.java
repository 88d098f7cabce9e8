package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The primitives under every kind of stub, before a real server in this process. */
class StubKindsTest {
  private enum When {
    INSIDE_START,
    INSIDE_FIRST_MESSAGE,
    ON_ANOTHER_THREAD
  }

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static MethodDescriptor<String, String> method(MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(type)
        .setFullMethodName("test.Echo/" + type)
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();
  }

  private static final MethodDescriptor<String, String> UNARY = method(MethodType.UNARY);
  private static final MethodDescriptor<String, String> SERVER =
      method(MethodType.SERVER_STREAMING);
  private static final MethodDescriptor<String, String> CLIENT =
      method(MethodType.CLIENT_STREAMING);
  private static final MethodDescriptor<String, String> BIDI = method(MethodType.BIDI_STREAMING);

  private final AtomicInteger serverCalls = new AtomicInteger();
  private final ExecutorService deciders = Executors.newFixedThreadPool(2);
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void setUp() throws IOException {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .addService(
                ServerServiceDefinition.builder("test.Echo")
                    .addMethod(
                        UNARY,
                        ServerCalls.asyncUnaryCall(
                            (request, out) -> {
                              serverCalls.incrementAndGet();
                              out.onNext("echo " + request);
                              out.onCompleted();
                            }))
                    .addMethod(
                        SERVER,
                        ServerCalls.asyncServerStreamingCall(
                            (request, out) -> {
                              serverCalls.incrementAndGet();
                              for (int i = 0; i < 10; i++) {
                                out.onNext(request + i);
                              }
                              out.onCompleted();
                            }))
                    .addMethod(CLIENT, ServerCalls.asyncClientStreamingCall(this::joined))
                    .addMethod(BIDI, ServerCalls.asyncBidiStreamingCall(this::joined))
                    .build())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).build();
  }

  private StreamObserver<String> joined(StreamObserver<String> out) {
    serverCalls.incrementAndGet();
    return new StreamObserver<>() {
      private final StringBuilder all = new StringBuilder();

      @Override
      public void onNext(String value) {
        all.append(value);
      }

      @Override
      public void onError(Throwable thrown) {}

      @Override
      public void onCompleted() {
        out.onNext(all.toString());
        out.onCompleted();
      }
    };
  }

  @AfterEach
  void tearDown() throws InterruptedException {
    channel.shutdown();
    assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).as("no call is left").isTrue();
    server.shutdownNow();
    deciders.shutdownNow();
    assertThat(server.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  private interface Decision {
    <Q, R> ClientCall<Q, R> delegate(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next);
  }

  private Channel deferring(When when, Decision decision) {
    return ClientInterceptors.intercept(
        channel,
        new ClientInterceptor() {
          @Override
          public <Q, R> ClientCall<Q, R> interceptCall(
              MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return new DeferredClientCall<>(options, CallRuntime.shared()) {
              @Override
              protected void onStart(Metadata headers) {
                if (when == When.INSIDE_START) {
                  decide();
                } else if (when == When.ON_ANOTHER_THREAD) {
                  deciders.execute(this::decide);
                }
              }

              @Override
              protected void onFirstMessage(Q message) {
                decide();
              }

              private void decide() {
                proceed(() -> decision.delegate(method, options, next));
              }
            };
          }
        });
  }

  private static final Decision REAL =
      new Decision() {
        @Override
        public <Q, R> ClientCall<Q, R> delegate(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
          return next.newCall(method, options);
        }
      };

  private static final Decision FAILURE =
      new Decision() {
        @Override
        public <Q, R> ClientCall<Q, R> delegate(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
          return LocalClientCall.failing(
              options,
              CallRuntime.shared(),
              Status.FAILED_PRECONDITION.withDescription("session is gone"),
              new Metadata());
        }
      };

  private static final Decision ANSWER =
      new Decision() {
        @Override
        @SuppressWarnings("unchecked")
        public <Q, R> ClientCall<Q, R> delegate(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
          List<R> answers = new ArrayList<>();
          int count = method.getType().serverSendsOneMessage() ? 1 : 10;
          for (int i = 0; i < count; i++) {
            answers.add((R) ("local" + i));
          }
          return LocalClientCall.answering(
              method.getType(), options, CallRuntime.shared(), new Metadata(), answers);
        }
      };

  private static String async(Channel at, MethodDescriptor<String, String> method, String... sent)
      throws Exception {
    CompletableFuture<String> end = new CompletableFuture<>();
    List<String> got = new ArrayList<>();
    StreamObserver<String> in =
        new StreamObserver<>() {
          @Override
          public void onNext(String value) {
            got.add(value);
          }

          @Override
          public void onError(Throwable thrown) {
            end.completeExceptionally(thrown);
          }

          @Override
          public void onCompleted() {
            end.complete(String.join(",", got));
          }
        };
    ClientCall<String, String> call = at.newCall(method, CallOptions.DEFAULT);
    if (method.getType().clientSendsOneMessage()) {
      if (method.getType().serverSendsOneMessage()) {
        ClientCalls.asyncUnaryCall(call, sent[0], in);
      } else {
        ClientCalls.asyncServerStreamingCall(call, sent[0], in);
      }
    } else {
      StreamObserver<String> out =
          method.getType().serverSendsOneMessage()
              ? ClientCalls.asyncClientStreamingCall(call, in)
              : ClientCalls.asyncBidiStreamingCall(call, in);
      for (String message : sent) {
        out.onNext(message);
      }
      out.onCompleted();
    }
    try {
      return end.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return Status.fromThrowable(e.getCause()).getCode().toString();
    }
  }

  private static List<String> iterator(Channel at) {
    List<String> got = new ArrayList<>();
    ClientCalls.blockingServerStreamingCall(at, SERVER, CallOptions.DEFAULT, "s")
        .forEachRemaining(got::add);
    return got;
  }

  @Test
  @DisplayName("C2 C11 A deferred call serves every kind of stub, wherever the decision is taken")
  void deferredCallServesEveryStub() throws Exception {
    for (When when : When.values()) {
      Channel at = deferring(when, REAL);
      assertThat(ClientCalls.blockingUnaryCall(at, UNARY, CallOptions.DEFAULT, "a"))
          .isEqualTo("echo a");
      assertThat(
              ClientCalls.futureUnaryCall(at.newCall(UNARY, CallOptions.DEFAULT), "b")
                  .get(10, TimeUnit.SECONDS))
          .isEqualTo("echo b");
      assertThat(async(at, UNARY, "c")).isEqualTo("echo c");
      assertThat(iterator(at)).hasSize(10).startsWith("s0").endsWith("s9");
      assertThat(async(at, SERVER, "s")).startsWith("s0,s1").endsWith("s9");
      assertThat(async(at, CLIENT, "x", "y", "z")).isEqualTo("xyz");
      assertThat(async(at, BIDI, "x", "y", "z")).isEqualTo("xyz");
    }
  }

  @Test
  @DisplayName("C8 B2 A local answer serves every kind of stub and the server sees no call")
  void localAnswerServesEveryStub() throws Exception {
    for (When when : When.values()) {
      Channel at = deferring(when, ANSWER);
      assertThat(ClientCalls.blockingUnaryCall(at, UNARY, CallOptions.DEFAULT, "a"))
          .isEqualTo("local0");
      assertThat(
              ClientCalls.futureUnaryCall(at.newCall(UNARY, CallOptions.DEFAULT), "b")
                  .get(10, TimeUnit.SECONDS))
          .isEqualTo("local0");
      assertThat(async(at, UNARY, "c")).isEqualTo("local0");
      assertThat(iterator(at)).hasSize(10).endsWith("local9");
      assertThat(async(at, SERVER, "s")).endsWith("local8,local9");
      assertThat(async(at, CLIENT, "x", "y")).isEqualTo("local0");
      assertThat(async(at, BIDI, "x", "y")).endsWith("local9");
    }
    assertThat(serverCalls).hasValue(0);
  }

  @Test
  @DisplayName("A6 A failed call gives every kind of stub that failure and nothing else")
  void failureReachesEveryStub() throws Exception {
    for (When when : When.values()) {
      Channel at = deferring(when, FAILURE);
      assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(at, UNARY, CallOptions.DEFAULT, "a"))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("session is gone");
      assertThatThrownBy(
              () ->
                  ClientCalls.futureUnaryCall(at.newCall(UNARY, CallOptions.DEFAULT), "b")
                      .get(10, TimeUnit.SECONDS))
          .hasMessageContaining("session is gone");
      assertThatThrownBy(() -> iterator(at)).hasMessageContaining("session is gone");
      for (MethodDescriptor<String, String> method : List.of(UNARY, SERVER, CLIENT, BIDI)) {
        assertThat(async(at, method, "x")).isEqualTo("FAILED_PRECONDITION");
      }
    }
    assertThat(serverCalls).hasValue(0);
  }

  @Test
  @DisplayName("B2 A blocking stub wakes up although another thread ends the call")
  void blockingStubWakesUp() {
    Channel at =
        ClientInterceptors.intercept(
            channel,
            new ClientInterceptor() {
              @Override
              public <Q, R> ClientCall<Q, R> interceptCall(
                  MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
                return new DeferredClientCall<>(options, CallRuntime.shared()) {
                  @Override
                  protected void onFirstMessage(Q message) {
                    deciders.execute(() -> fail(Status.ABORTED, new Metadata()));
                  }
                };
              }
            });
    assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(at, UNARY, CallOptions.DEFAULT, "a"))
        .hasMessageContaining("ABORTED");
    assertThatThrownBy(
            () ->
                ClientCalls.blockingUnaryCall(
                    deferring(When.INSIDE_START, REAL),
                    UNARY,
                    CallOptions.DEFAULT.withDeadlineAfter(-1, TimeUnit.SECONDS),
                    "a"))
        .hasMessageContaining("DEADLINE_EXCEEDED");
  }

  @Test
  @DisplayName("C4 C5 An undecided call ends by cancel of the future or by its real deadline")
  void undecidedCallEnds() throws Exception {
    CountDownLatch abandoned = new CountDownLatch(2);
    Channel at =
        ClientInterceptors.intercept(
            channel,
            new ClientInterceptor() {
              @Override
              public <Q, R> ClientCall<Q, R> interceptCall(
                  MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
                return new DeferredClientCall<>(options, CallRuntime.shared()) {
                  @Override
                  protected void onAbandoned(Status status) {
                    abandoned.countDown();
                  }
                };
              }
            });
    assertThat(
            ClientCalls.futureUnaryCall(at.newCall(UNARY, CallOptions.DEFAULT), "a").cancel(true))
        .isTrue();
    assertThatThrownBy(
            () ->
                ClientCalls.blockingUnaryCall(
                    at,
                    UNARY,
                    CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.MILLISECONDS),
                    "a"))
        .hasMessageContaining("DEADLINE_EXCEEDED")
        .hasMessageContaining("waited for a decision");
    assertThat(abandoned.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @DisplayName("Raw call: demand, half-close and close through a deferred call, one by one")
  void rawCall() {
    RecordingListener<String> listener = new RecordingListener<>();
    ClientCall<String, String> call =
        deferring(When.ON_ANOTHER_THREAD, REAL).newCall(SERVER, CallOptions.DEFAULT);
    call.start(listener, new Metadata());
    call.sendMessage("r");
    call.halfClose();
    call.request(1);
    Awaitility.await().until(() -> listener.events().contains("message r0"));
    assertThat(listener.events()).containsExactly("headers", "message r0");
    call.request(20);
    assertThat(listener.awaitClose()).isTrue();
    assertThat(listener.events()).hasSize(12).endsWith("message r9", "close OK");
    assertThat(listener.faults()).isEmpty();
  }
}
