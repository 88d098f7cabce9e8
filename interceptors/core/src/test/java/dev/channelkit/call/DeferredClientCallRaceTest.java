package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ManualClock;
import dev.channelkit.testing.ManualScheduler;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two threads, a barrier, ten thousand rounds; every round ends in a state that adds up. */
class DeferredClientCallRaceTest {
  private static final int ROUNDS = 10_000;

  private final AtomicReference<Runnable> job = new AtomicReference<>();
  private final AtomicReference<Throwable> escaped = new AtomicReference<>();
  private final CyclicBarrier barrier = new CyclicBarrier(2);
  private final Thread other = new Thread(this::serve, "race");
  private ManualClock clock;
  private TestDeferredCall call;
  private RecordingListener<String> listener;
  private ScriptedCall delegate;
  private final AtomicInteger created = new AtomicInteger();

  private void serve() {
    try {
      while (true) {
        barrier.await();
        Runnable mine = job.get();
        if (mine == null) {
          return;
        }
        try {
          mine.run();
        } catch (Throwable thrown) {
          escaped.compareAndSet(null, thrown);
        }
        barrier.await();
      }
    } catch (Exception e) {
      escaped.compareAndSet(null, e);
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (other.isAlive()) {
      job.set(null);
      barrier.await();
      other.join(10_000);
    }
  }

  private void rounds(Runnable prepare, Runnable here, Runnable there, Runnable check)
      throws Exception {
    other.start();
    for (int round = 0; round < ROUNDS; round++) {
      clock = new ManualClock();
      listener = new RecordingListener<>();
      delegate = new ScriptedCall();
      created.set(0);
      call =
          new TestDeferredCall(
              CallOptions.DEFAULT.withDeadline(clock.deadlineAfter(Duration.ofSeconds(1))),
              CallRuntime.of(Runnable::run, new ManualScheduler(clock)));
      prepare.run();
      job.set(there);
      barrier.await();
      here.run();
      barrier.await();
      assertThat(escaped.get()).as("escaped in round %d", round).isNull();
      assertThat(listener.faults()).isEmpty();
      assertThat(delegate.faults).isEmpty();
      check.run();
    }
  }

  private void script() {
    call.start(listener, new Metadata());
    call.request(2);
    call.sendMessage("m");
    call.halfClose();
  }

  private ClientCall<String, String> create() {
    created.incrementAndGet();
    return delegate;
  }

  private void assertEndedOnce(String close) {
    assertThat(listener.events()).containsExactly(close);
    List<String> log = delegate.log();
    // Never created; or cancelled, whether or not it was started before.
    assertThat(created.get() == 0 || log.get(log.size() - 1).startsWith("cancel")).isTrue();
  }

  private void assertWholeScriptOrEnded(String close) {
    if (listener.closes() > 0) {
      assertEndedOnce(close);
    } else {
      assertThat(delegate.log())
          .startsWith("start")
          .containsSubsequence("message m", "halfClose")
          .contains("request 2")
          .hasSize(4);
    }
  }

  @Test
  @DisplayName(
      "C3 cancel racing start: one onClose(CANCELLED), nothing escapes, no leaked delegate")
  void cancelRacingStart() throws Exception {
    rounds(
        () -> {},
        this::script,
        () -> call.cancel("x", null),
        () -> {
          assertThat(call.go(this::create)).isFalse();
          assertEndedOnce("close CANCELLED");
        });
  }

  @Test
  @DisplayName("C3 cancel racing a start that decides inside itself: one end, no leaked delegate")
  void cancelRacingADecidingStart() throws Exception {
    rounds(
        () -> call.atStart = headers -> call.go(this::create),
        this::start,
        () -> call.cancel("x", null),
        () -> assertEndedOnce("close CANCELLED"));
  }

  private void start() {
    call.start(listener, new Metadata());
  }

  @Test
  @DisplayName(
      "C3 cancel racing the decision: one onClose(CANCELLED), a started delegate cancelled")
  void cancelRacingDecision() throws Exception {
    rounds(
        this::script,
        () -> call.go(this::create),
        () -> call.cancel("x", null),
        () -> assertEndedOnce("close CANCELLED"));
  }

  @Test
  @DisplayName("C3 deadline racing the decision: the delegate runs whole or was never made")
  void deadlineRacingDecision() throws Exception {
    rounds(
        this::script,
        () -> call.go(this::create),
        () -> clock.advance(Duration.ofSeconds(1)),
        () -> assertWholeScriptOrEnded("close DEADLINE_EXCEEDED"));
  }

  @Test
  @DisplayName("C3 Context cancellation racing the decision and start: whole or never made")
  void contextRacingDecision() throws Exception {
    AtomicReference<Context.CancellableContext> context = new AtomicReference<>();
    rounds(
        () -> {
          context.set(Context.current().withCancellation());
          Context previous = context.get().attach();
          call = new TestDeferredCall(CallOptions.DEFAULT, CallRuntime.of(Runnable::run, NONE));
          context.get().detach(previous);
        },
        () -> {
          script();
          call.go(this::create);
        },
        () -> context.get().cancel(null),
        () -> {
          assertWholeScriptOrEnded("close CANCELLED");
          assertThat(Contexts.listeners(context.get())).isZero();
        });
  }

  private static final ManualScheduler NONE = new ManualScheduler();

  @Test
  @DisplayName("C2 The decision racing the script: message before half-close, once each, none lost")
  void decisionRacingScript() throws Exception {
    rounds(
        () -> call.start(listener, new Metadata()),
        () -> {
          call.request(2);
          call.sendMessage("m");
          call.halfClose();
        },
        () -> call.go(this::create),
        () -> assertWholeScriptOrEnded("none"));
  }

  @Test
  @DisplayName("C3 proceed racing fail: one of them counts")
  void proceedRacingFail() throws Exception {
    rounds(
        this::script,
        () -> call.go(this::create),
        () -> call.stop(Status.NOT_FOUND),
        () -> assertWholeScriptOrEnded("close NOT_FOUND"));
  }
}
