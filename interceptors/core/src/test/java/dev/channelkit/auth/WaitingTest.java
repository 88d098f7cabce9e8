package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Waiting for a token is bounded by the call and blocks nobody else. */
class WaitingTest {
  private final Lab lab = new Lab();

  @Test
  @DisplayName("Deadline 100 ms, fetch 5 s: DEADLINE_EXCEEDED at 100 ms, and the fetch goes on")
  void theCallsOwnDeadlineEndsTheWait() {
    CachedCallCredentials credentials = lab.builder().build();
    CallOptions options =
        CallOptions.DEFAULT.withDeadline(lab.clock.deadlineAfter(Duration.ofMillis(100)));
    FakeCall call = FakeCall.create().options(options).applyTo(credentials);
    lab.clock.advance(Duration.ofMillis(99));
    assertThat(call.ended()).isFalse();
    lab.clock.advance(Duration.ofMillis(1));

    assertThat(call.status().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(call.status().getDescription()).contains("waited for a token");

    lab.clock.advance(Duration.ofMillis(4900));
    lab.executor.runAll();
    assertThat(FakeCall.create().applyTo(credentials).token()).isEqualTo("Bearer secret-1");
    assertThat(lab.source.fetches()).isEqualTo(1);
    assertThat(lab.scheduler.pendingCount()).isZero();
  }

  @Test
  void theDeadlineOfTheContextCountsToo() {
    CachedCallCredentials credentials = lab.builder().build();
    // A context's deadline needs the system's ticker; one that has passed needs no waiting.
    try (Context.CancellableContext late =
        Context.current()
            .withDeadlineAfter(-1, TimeUnit.NANOSECONDS, Executors.newScheduledThreadPool(0))) {
      FakeCall call = FakeCall.create();
      late.run(() -> call.applyTo(credentials));
      assertThat(call.status().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    }
  }

  @Test
  void anExpiredDeadlineStartsNoFetch() {
    CachedCallCredentials credentials = lab.builder().build();
    CallOptions options =
        CallOptions.DEFAULT.withDeadline(lab.clock.deadlineAfter(Duration.ofMillis(-84)));

    Status status = FakeCall.create().options(options).applyTo(credentials).status();

    assertThat(status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(lab.executor.held()).isZero();
  }

  @Test
  void cancellingTheContextEndsOnlyTheWait() {
    CachedCallCredentials credentials = lab.builder().build();
    Context.CancellableContext context = Context.current().withCancellation();
    FakeCall cancelled = FakeCall.create();
    context.run(() -> cancelled.applyTo(credentials));
    FakeCall other = FakeCall.create().applyTo(credentials);

    context.cancel(new IllegalStateException("cell interrupted"));

    assertThat(cancelled.status().getCode()).isEqualTo(Status.Code.CANCELLED);
    lab.executor.runAll();
    assertThat(other.token()).isEqualTo("Bearer secret-1");
  }

  @Test
  void theFetchRunsInTheRootContext() {
    Context.Key<String> key = Context.key("caller");
    String[] seen = {"not run"};
    CachedCallCredentials credentials =
        lab.builder(
                () -> {
                  seen[0] = key.get();
                  return lab.source.fetch();
                })
            .executor(Runnable::run)
            .build();

    Context.current()
        .withValue(key, "foreground")
        .run(() -> FakeCall.create().applyTo(credentials).token());

    assertThat(seen[0]).isNull();
  }

  @Test
  @DisplayName("E2 a source that blocks holds up neither applyRequestMetadata nor other calls")
  void aBlockingSourceBlocksNobody() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Thread[] fetchedOn = new Thread[1];
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(
                (TokenSource)
                    () -> {
                      fetchedOn[0] = Thread.currentThread();
                      release.await();
                      return Token.withoutExpiry("late-token");
                    })
            .build();
    try (TextServer server = new TextServer()) {
      ManagedChannel channel = server.channel(b -> b.directExecutor());
      Future<String> waiting =
          ClientCalls.futureUnaryCall(
              channel.newCall(
                  TextServer.UNARY, CallOptions.DEFAULT.withCallCredentials(credentials)),
              "a");

      // On the same transport, with the first call still waiting.
      String other =
          ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, CallOptions.DEFAULT, "b");

      assertThat(other).isEqualTo("echo b");
      assertThat(waiting.isDone()).isFalse();
      release.countDown();
      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("echo a");
      assertThat(fetchedOn[0].getName()).startsWith("channelkit-executor-");
      assertThat(fetchedOn[0].isDaemon()).isTrue();
    }
  }

  @Test
  @DisplayName("E3 a cancelled call leaves no pending applier: the channel terminates")
  void aCancelledCallDoesNotHoldTheChannel() throws Exception {
    ScheduledExecutorService scheduler = lab.scheduler;
    CachedCallCredentials credentials = lab.builder().scheduler(scheduler).build();
    try (TextServer server = new TextServer()) {
      ManagedChannel channel = server.channel();
      Future<String> call =
          ClientCalls.futureUnaryCall(
              io.grpc.ClientInterceptors.intercept(channel, credentials.interceptor())
                  .newCall(TextServer.UNARY, CallOptions.DEFAULT),
              "a");
      org.awaitility.Awaitility.await().until(() -> lab.executor.held() == 1);

      call.cancel(true);
      channel.shutdown();

      assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
      assertThat(server.calls()).isZero();
    }
  }

  @Test
  @DisplayName("E3 a source that never answers: the channel terminates after the fetch timeout")
  void aFetchWithoutEndDoesNotHoldTheChannel() throws Exception {
    CachedCallCredentials credentials = lab.builder().build();
    try (TextServer server = new TextServer()) {
      ManagedChannel channel = server.channel();
      Future<String> call =
          ClientCalls.futureUnaryCall(
              channel.newCall(
                  TextServer.UNARY, CallOptions.DEFAULT.withCallCredentials(credentials)),
              "a");
      org.awaitility.Awaitility.await().until(() -> lab.executor.held() == 1);
      lab.pass(30);

      assertThat(call)
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .withMessageContaining("fetchTimeout");
      channel.shutdown();
      assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void tokenIsThereAtOnceOnceFetchedAndCannotBeSpoiltByItsReceiver() {
    CachedCallCredentials credentials = lab.warm(lab.builder());
    credentials.token().toCompletableFuture().cancel(true);

    assertThat(credentials.token().toCompletableFuture().join().value()).isEqualTo("secret-1");
  }
}
