package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The interceptor in front of a server that writes down what arrives. */
class InterceptorTest {
  private static final Metadata.Key<String> PROJECT =
      Metadata.Key.of("x-goog-user-project", Metadata.ASCII_STRING_MARSHALLER);

  private final Lab lab = new Lab();
  private final TextServer server = new TextServer();

  @AfterEach
  void close() {
    server.close();
  }

  private CachedCallCredentials credentials() {
    return lab.builder().executor(Runnable::run).build();
  }

  private static String call(Channel channel) {
    return call(channel, CallOptions.DEFAULT);
  }

  private static String call(Channel channel, CallOptions options) {
    return ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, options, "a");
  }

  private Channel through(ClientInterceptor... outermostFirst) {
    return ClientInterceptors.interceptForward(server.channel(), outermostFirst);
  }

  @Test
  void everyCallCarriesExactlyOneBearerToken() {
    Channel channel = through(credentials().interceptor());

    assertThat(call(channel)).isEqualTo("echo a");
    Iterator<String> stream =
        ClientCalls.blockingServerStreamingCall(
            channel, TextServer.STREAM, CallOptions.DEFAULT, "b");
    assertThat(stream.next()).isEqualTo("echo b");

    assertThat(server.authorizations).containsExactly("Bearer secret-1", "Bearer secret-1");
    assertThat(lab.source.fetches()).isEqualTo(1);
  }

  @Test
  void anAuthorizationHeaderInTheRequestIsReplaced() {
    Metadata fixed = new Metadata();
    fixed.put(IssuedToken.AUTHORIZATION, "Bearer of-the-official-client");
    Metadata.Key<String> wrongName =
        Metadata.Key.of("authentication", Metadata.ASCII_STRING_MARSHALLER);
    fixed.put(wrongName, "kept");

    call(through(MetadataUtils.newAttachHeadersInterceptor(fixed), credentials().interceptor()));

    assertThat(server.authorizations).containsExactly("Bearer secret-1");
    assertThat(server.headers.get(0).get(wrongName)).isEqualTo("kept");
    assertThat(fixed.get(IssuedToken.AUTHORIZATION)).isEqualTo("Bearer of-the-official-client");
  }

  @Test
  void aStubsOwnCallCredentialsAreKeptAndOursNotAdded() {
    CallCredentials own =
        new CallCredentials() {
          @Override
          public void applyRequestMetadata(
              RequestInfo info, java.util.concurrent.Executor executor, MetadataApplier applier) {
            Metadata headers = new Metadata();
            headers.put(IssuedToken.AUTHORIZATION, "Bearer own");
            applier.apply(headers);
          }
        };

    call(through(credentials().interceptor()), CallOptions.DEFAULT.withCallCredentials(own));

    assertThat(server.authorizations).containsExactly("Bearer own");
    assertThat(lab.source.fetches()).isZero();
  }

  @Test
  void settingTheCredentialsOnTheStubTooDoesNotDoubleTheHeader() {
    CachedCallCredentials credentials = credentials();

    call(through(credentials.interceptor()), CallOptions.DEFAULT.withCallCredentials(credentials));

    assertThat(server.authorizations).containsExactly("Bearer secret-1");
  }

  @Test
  void theSwitchTurnsItOffForOneCall() {
    Channel channel = through(credentials().interceptor());

    call(channel, CallOptions.DEFAULT.withOption(CachedCallCredentials.ENABLED, false));
    call(channel);

    assertThat(server.authorizations).containsExactly("", "Bearer secret-1");
  }

  @Test
  @DisplayName("E1 applied per attempt: transport retries each carry exactly one token")
  void everyAttemptCarriesOneToken() {
    server.script(
        (number, authorization) -> number < 3 ? TextServer.Refusal.of(Status.UNAVAILABLE) : null);
    Channel channel =
        ClientInterceptors.intercept(
            server.channel(
                b ->
                    b.enableRetry()
                        .defaultServiceConfig(
                            Map.of(
                                "methodConfig",
                                List.of(
                                    Map.of(
                                        "name",
                                        List.of(Map.of()),
                                        "retryPolicy",
                                        Map.of(
                                            "maxAttempts",
                                            4.0,
                                            "initialBackoff",
                                            "0.001s",
                                            "maxBackoff",
                                            "0.001s",
                                            "backoffMultiplier",
                                            1.0,
                                            "retryableStatusCodes",
                                            List.of("UNAVAILABLE"))))))),
            credentials().interceptor());

    assertThat(call(channel)).isEqualTo("echo a");
    assertThat(server.authorizations)
        .containsExactly("Bearer secret-1", "Bearer secret-1", "Bearer secret-1");
  }

  @Test
  @DisplayName("64 threads x 1000 calls on one token: one header each, nobody's headers are spoilt")
  void oneTokenServesManyThreads() throws Exception {
    CachedCallCredentials credentials = credentials();
    Channel channel =
        ClientInterceptors.intercept(
            server.channel(b -> b.enableRetry()), credentials.interceptor());
    ExecutorService threads = Executors.newFixedThreadPool(64);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int t = 0; t < 64; t++) {
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 1000; i++) {
                    call(channel);
                  }
                }));
      }
      for (Future<?> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(server.authorizations).hasSize(64_000);
    assertThat(new HashSet<>(server.authorizations)).containsExactly("Bearer secret-1");
    assertThat(FakeCall.create().applyTo(credentials).headers().keys())
        .containsExactly("authorization");
    assertThat(lab.source.fetches()).isEqualTo(1);
  }

  @Test
  void headersAreTouchedBeforeTheyArePassedOnAndNeverAfter() {
    List<Metadata> passed = new ArrayList<>();
    ClientInterceptor keeper =
        new ClientInterceptor() {
          @Override
          public <Q, R> ClientCall<Q, R> interceptCall(
              MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return new ClientCall<>() {
              @Override
              public void start(Listener<R> listener, Metadata headers) {
                passed.add(headers);
                Metadata before = new Metadata();
                before.merge(headers);
                passed.add(before);
                listener.onClose(Status.UNAUTHENTICATED, new Metadata());
              }

              @Override
              public void request(int numMessages) {}

              @Override
              public void cancel(String message, Throwable cause) {}

              @Override
              public void halfClose() {}

              @Override
              public void sendMessage(Q message) {}
            };
          }
        };
    Channel channel = through(credentials().interceptor(), keeper);
    assertThatThrownBy(() -> call(channel)).isInstanceOf(StatusRuntimeException.class);

    assertThat(passed.get(0).keys()).isEqualTo(passed.get(1).keys());
  }

  @Test
  void theRequestsOwnProjectCountsAndThereIsAtMostOne() {
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(new PlainGoogle("Bearer plain", "from-credentials", "second"))
            .executor(Runnable::run)
            .build();
    Metadata own = new Metadata();
    own.put(PROJECT, "first-own");
    own.put(PROJECT, "own");

    call(through(credentials.interceptor()));
    call(through(MetadataUtils.newAttachHeadersInterceptor(own), credentials.interceptor()));

    assertThat(server.headers.get(0).getAll(PROJECT)).containsExactly("from-credentials");
    assertThat(server.headers.get(1).getAll(PROJECT)).containsExactly("own");
    assertThat(server.authorizations).containsExactly("Bearer plain", "Bearer plain");
  }

  @Test
  @DisplayName("A permanent failure is UNAUTHENTICATED: a client that retries UNAVAILABLE stops")
  void aClientThatRetriesUnavailableStopsAtAPermanentFailure() {
    lab.source.next(
        () -> {
          throw new PermanentTokenException("invalid_grant");
        },
        () -> {
          throw new java.io.IOException("down");
        });

    assertThat(attempts(through(credentials().interceptor()))).isEqualTo(1);
    assertThat(attempts(through(credentials().interceptor()))).isEqualTo(2);
    assertThat(lab.source.fetches()).isEqualTo(3);
  }

  private static int attempts(Channel channel) {
    for (int attempt = 1; attempt <= 5; attempt++) {
      try {
        call(channel);
        return attempt;
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() != Status.Code.UNAVAILABLE) {
          return attempt;
        }
      }
    }
    return 5;
  }

  @Test
  @DisplayName("B6 The status at the end counts: a message before it does not make a token good")
  void theEndJudgesTheTokenNotTheMessageBeforeIt() {
    server.script(
        (number, authorization) ->
            number == 1
                ? new TextServer.Refusal(Status.UNAUTHENTICATED, new Metadata(), true, true)
                : null);
    Channel channel = through(credentials().interceptor());

    assertThatThrownBy(() -> call(channel)).isInstanceOf(StatusRuntimeException.class);
    assertThat(call(channel)).isEqualTo("echo a");

    assertThat(server.authorizations).containsExactly("Bearer secret-1", "Bearer secret-2");
  }

  @Test
  void aCancelBeforeTheStartClosesTheCall() throws Exception {
    ClientCall<String, String> call =
        through(credentials().interceptor()).newCall(TextServer.UNARY, CallOptions.DEFAULT);
    call.cancel("changed my mind", null);
    java.util.concurrent.CompletableFuture<Status> closed =
        new java.util.concurrent.CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            closed.complete(status);
          }
        },
        new Metadata());
    call.request(2);
    call.sendMessage("a");
    call.halfClose();

    Status status = closed.get(10, TimeUnit.SECONDS);
    assertThat(status.getCode()).isEqualTo(Status.Code.CANCELLED);
    assertThat(status.getDescription()).contains("changed my mind");
    assertThat(server.calls()).isZero();
  }
}
