package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.event.StackEventListener;
import dev.channelkit.testing.ManualClock;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What went wrong in the field, against any implementation of cached credentials. */
final class Scenarios {
  private static final StackEventListener NO_LISTENER = new StackEventListener() {};

  private Scenarios() {}

  private static void unary(Channel channel) {
    ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, CallOptions.DEFAULT, "a");
  }

  private static Status refusal(Channel channel) {
    try {
      unary(channel);
      return Status.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  /** No token yet, 200 threads: the source is asked once; a failure is shared once. */
  static void coldStartFetchesOnce(Subject.Factory factory) throws Exception {
    Lab lab = new Lab();
    Subject subject = factory.create(lab.source, lab.clock, lab.executor, NO_LISTENER);
    ExecutorService threads = Executors.newFixedThreadPool(200);
    try {
      for (boolean works : new boolean[] {false, true}) {
        if (!works) {
          lab.source.next(
              () -> {
                throw new IOException("down");
              });
        }
        int before = lab.source.fetches();
        CyclicBarrier together = new CyclicBarrier(200);
        List<Future<FakeCall>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          calls.add(
              threads.submit(
                  () -> {
                    together.await();
                    return FakeCall.create().applyTo(subject.credentials());
                  }));
        }
        for (Future<FakeCall> call : calls) {
          call.get(30, TimeUnit.SECONDS);
        }
        lab.executor.runAll();
        assertThat(lab.source.fetches() - before).as("fetches for 200 callers").isEqualTo(1);
        for (Future<FakeCall> call : calls) {
          if (works) {
            assertThat(call.get().token()).isEqualTo("Bearer secret-2");
          } else {
            assertThat(call.get().status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Each failed fetch ends the calls that waited for it, and only those. */
  static void aFailedFetchIsForgotten(Subject.Factory factory) {
    List<TokenSource> failures =
        List.of(
            () -> {
              throw new IOException("down");
            },
            () -> {
              throw new IllegalStateException("no config");
            },
            () -> {
              throw new NoSuchMethodError("lib.method");
            },
            () -> null);
    for (TokenSource failure : failures) {
      Lab lab = new Lab();
      Subject subject = factory.create(lab.source, lab.clock, lab.executor, NO_LISTENER);
      lab.source.next(failure);
      FakeCall waiting = FakeCall.create().applyTo(subject.credentials());
      lab.executor.runAll();
      assertThat(waiting.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);

      FakeCall next = FakeCall.create().applyTo(subject.credentials());
      lab.executor.runAll();
      assertThat(next.token()).isEqualTo("Bearer secret-2");

      // And with a token that is still good, nobody notices.
      lab.source.next(failure);
      lab.pass(3400);
      FakeCall served = FakeCall.create().applyTo(subject.credentials());
      lab.executor.runAll();
      assertThat(served.token()).isEqualTo("Bearer secret-2");
    }
  }

  /** 50 calls with token A refused: one new token; late refusals of A leave B alone. */
  static void aRefusalDropsItsOwnGenerationOnly(Subject.Factory factory) throws Exception {
    ManualClock clock = new ManualClock();
    FakeSource source = new FakeSource(clock);
    Subject subject = factory.create(source, clock, Runnable::run, NO_LISTENER);
    CountDownLatch arrived = new CountDownLatch(50);
    CountDownLatch release = new CountDownLatch(1);
    try (TextServer server = new TextServer()) {
      server.script(
          (number, authorization) -> {
            if (authorization.endsWith("-1")) {
              arrived.countDown();
              await(release);
              return TextServer.Refusal.of(Status.UNAUTHENTICATED);
            }
            return null;
          });
      Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
      ExecutorService threads = Executors.newFixedThreadPool(51);
      try {
        List<Future<Status>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          all.add(threads.submit(() -> refusal(channel)));
        }
        assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
        release.countDown();
        for (Future<Status> one : all) {
          assertThat(one.get(30, TimeUnit.SECONDS).getCode())
              .isEqualTo(Status.Code.UNAUTHENTICATED);
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(refusal(channel).getCode()).isEqualTo(Status.Code.OK);
      assertThat(source.fetches()).as("fetches after 50 refusals of one token").isEqualTo(2);
    }
  }

  /** A refusal of A that arrives late, when B is there and the minute is over, leaves B alone. */
  static void aLateRefusalLeavesTheNextTokenAlone(Subject.Factory factory) throws Exception {
    ManualClock clock = new ManualClock();
    FakeSource source = new FakeSource(clock);
    Subject subject = factory.create(source, clock, Runnable::run, NO_LISTENER);
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (TextServer server = new TextServer()) {
      server.script(
          (number, authorization) -> {
            if (number == 1) {
              arrived.countDown();
              await(release);
            }
            return authorization.endsWith("-1")
                ? TextServer.Refusal.of(Status.UNAUTHENTICATED)
                : null;
          });
      Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try {
        Future<Status> late = thread.submit(() -> refusal(channel));
        assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
        refusal(channel);
        clock.advance(java.time.Duration.ofMinutes(2));
        assertThat(refusal(channel).getCode()).isEqualTo(Status.Code.OK);
        release.countDown();
        assertThat(late.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(refusal(channel).getCode()).isEqualTo(Status.Code.OK);
      } finally {
        thread.shutdownNow();
      }
      assertThat(source.fetches()).as("fetches").isEqualTo(2);
    }
  }

  /** A server that refuses every token costs one fetch a minute, not one per call. */
  static void refusalsDoNotLoop(Subject.Factory factory) throws Exception {
    ManualClock clock = new ManualClock();
    FakeSource source = new FakeSource(clock);
    Subject subject = factory.create(source, clock, Runnable::run, NO_LISTENER);
    try (TextServer server = new TextServer()) {
      server.script((number, authorization) -> TextServer.Refusal.of(Status.UNAUTHENTICATED));
      Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
      for (int second = 0; second < 180; second++) {
        refusal(channel);
        clock.advance(java.time.Duration.ofSeconds(1));
      }
    }
    assertThat(source.fetches()).as("fetches in three minutes of refusals").isBetween(2, 4);
  }

  /** The call that started the fetch is cancelled: the fetch works on for the others. */
  static void aCancelledCallLeavesTheFetchAlone(Subject.Factory factory) throws Exception {
    Lab lab = new Lab();
    boolean[] cancelledInside = {false};
    TokenSource source =
        () -> {
          cancelledInside[0] = Context.current().isCancelled();
          if (cancelledInside[0]) {
            throw new IOException("the call of the source was cancelled");
          }
          return lab.source.fetch();
        };
    Subject subject = factory.create(source, lab.clock, lab.executor, NO_LISTENER);
    try (TextServer server = new TextServer()) {
      Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
      Context.CancellableContext foreground = Context.current().withCancellation();
      Future<String> first =
          foreground.call(
              () ->
                  ClientCalls.futureUnaryCall(
                      channel.newCall(TextServer.UNARY, CallOptions.DEFAULT), "a"));
      org.awaitility.Awaitility.await().until(() -> lab.executor.held() == 1);
      Future<String> other =
          ClientCalls.futureUnaryCall(channel.newCall(TextServer.UNARY, CallOptions.DEFAULT), "b");
      foreground.cancel(null);
      assertThat(first)
          .failsWithin(java.time.Duration.ofSeconds(10))
          .withThrowableThat()
          .withMessageContaining("CANCELLED");

      lab.executor.runAll();

      assertThat(other).succeedsWithin(java.time.Duration.ofSeconds(10)).isEqualTo("echo b");
      assertThat(lab.source.fetches()).isEqualTo(1);
    }
  }

  /** A listener of events that throws, an Error too, inside onClose: the caller gets its status. */
  static void aListenerThatThrowsDoesNotHarmTheCall(Subject.Factory factory) throws Exception {
    ManualClock clock = new ManualClock();
    FakeSource source = new FakeSource(clock);
    StackEventListener throwing =
        new StackEventListener() {
          @Override
          public void onTokenRejected(TokenRejected event) {
            throw new NoSuchMethodError("metrics.sink");
          }
        };
    Subject subject = factory.create(source, clock, Runnable::run, throwing);
    try (TextServer server = new TextServer()) {
      server.script(
          (number, authorization) ->
              TextServer.Refusal.of(Status.UNAUTHENTICATED.withDescription("by the server")));
      Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
      List<Status> closes = new CopyOnWriteArrayList<>();
      CountDownLatch closed = new CountDownLatch(1);
      ClientCall<String, String> call = channel.newCall(TextServer.UNARY, CallOptions.DEFAULT);
      call.start(
          new ClientCall.Listener<>() {
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

      assertThat(closed.await(2, TimeUnit.SECONDS)).as("onClose arrives").isTrue();
      assertThat(closes).hasSize(1);
      assertThat(closes.get(0).getDescription()).isEqualTo("by the server");
    }
  }

  /** A cancel that races the start of a call that waits for a token. */
  static void aCancelRacingTheStartEndsTheCallOnce(Subject.Factory factory) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (TextServer server = new TextServer()) {
      // The fetch is held, so that a call which is not cancelled would wait.
      Lab lab = new Lab();
      Subject subject = factory.create(lab.source, lab.clock, lab.executor, NO_LISTENER);
      Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
      for (int i = 0; i < 10_000; i++) {
        ClientCall<String, String> call = channel.newCall(TextServer.UNARY, CallOptions.DEFAULT);
        AtomicInteger closes = new AtomicInteger();
        Status[] end = new Status[1];
        CountDownLatch closed = new CountDownLatch(1);
        CyclicBarrier together = new CyclicBarrier(2);
        boolean cancelFirst = i % 10 == 0;
        CountDownLatch cancelDone = new CountDownLatch(cancelFirst ? 1 : 0);
        Future<?> start =
            threads.submit(
                () -> {
                  together.await();
                  cancelDone.await();
                  call.start(
                      new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                          end[0] = status;
                          closes.incrementAndGet();
                          closed.countDown();
                        }
                      },
                      new Metadata());
                  call.request(2);
                  return null;
                });
        Future<?> cancel =
            threads.submit(
                () -> {
                  together.await();
                  try {
                    call.cancel("x", null);
                  } finally {
                    cancelDone.countDown();
                  }
                  return null;
                });
        try {
          cancel.get(10, TimeUnit.SECONDS);
          start.get(10, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
          throw new AssertionError("escaped in round " + i + ": " + e.getCause(), e.getCause());
        }
        assertThat(closed.await(10, TimeUnit.SECONDS)).as("closed in round " + i).isTrue();
        assertThat(closes).hasValue(1);
        assertThat(end[0].getCode()).isEqualTo(Status.Code.CANCELLED);
      }
      lab.executor.runAll();
      assertThat(server.calls()).isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Trailers, unary and mid-stream, reach the caller byte for byte. */
  static void trailersArriveUnchanged(Subject.Factory factory) throws Exception {
    Metadata.Key<byte[]> details =
        Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
    Metadata.Key<byte[]> custom = Metadata.Key.of("x-own-bin", Metadata.BINARY_BYTE_MARSHALLER);
    byte[] bytes = {0, -1, 127, -128, 10, 13};
    for (Status status : List.of(Status.UNAUTHENTICATED, Status.INTERNAL)) {
      for (boolean midStream : new boolean[] {false, true}) {
        Lab lab = new Lab();
        Subject subject = factory.create(lab.source, lab.clock, Runnable::run, NO_LISTENER);
        try (TextServer server = new TextServer()) {
          Metadata sent = new Metadata();
          sent.put(details, bytes);
          sent.put(custom, bytes);
          server.script(
              (number, authorization) ->
                  new TextServer.Refusal(status, sent, midStream, midStream));
          Channel channel = ClientInterceptors.intercept(server.channel(), subject.interceptor());
          try {
            ClientCalls.blockingServerStreamingCall(
                    channel, TextServer.STREAM, CallOptions.DEFAULT, "a")
                .forEachRemaining(message -> assertThat(message).isEqualTo("partial"));
            throw new AssertionError("no failure");
          } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(status.getCode());
            assertThat(e.getTrailers().get(details)).isEqualTo(bytes);
            assertThat(e.getTrailers().get(custom)).isEqualTo(bytes);
          }
        }
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("waited in vain");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
