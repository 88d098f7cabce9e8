package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.channelkit.testing.ManualClock;
import dev.channelkit.testing.ManualScheduler;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DeferredClientCallTest {
  private static final Metadata.Key<String> KEY =
      Metadata.Key.of("k", Metadata.ASCII_STRING_MARSHALLER);
  private static final Context.Key<String> CONTEXT_KEY = Context.key("user");

  private final ManualClock clock = new ManualClock();
  private final ManualScheduler scheduler = new ManualScheduler(clock);
  private final QueuedExecutor executor = new QueuedExecutor();
  private final CallRuntime runtime = CallRuntime.of(executor, scheduler);
  private final RecordingListener<String> listener = new RecordingListener<>();
  private final ScriptedCall delegate = new ScriptedCall();
  private final Metadata headers = new Metadata();

  private TestDeferredCall call() {
    return new TestDeferredCall(CallOptions.DEFAULT, runtime);
  }

  private TestDeferredCall callWithDeadline(Duration deadline) {
    return new TestDeferredCall(
        CallOptions.DEFAULT.withDeadline(clock.deadlineAfter(deadline)), runtime);
  }

  private void unaryScript(TestDeferredCall call) {
    call.start(listener, headers);
    call.request(2);
    call.sendMessage("m");
    call.halfClose();
  }

  private void assertClosedOnce(Status.Code code) {
    executor.runAll();
    assertThat(listener.events()).containsExactly("close " + code);
    assertThat(listener.faults()).isEmpty();
    assertThat(scheduler.pendingCount()).isZero();
  }

  @Test
  @DisplayName("A1 A call that is made and dropped, or cancelled before start, holds nothing")
  void unstartedCallHoldsNothing() {
    TestDeferredCall dropped = callWithDeadline(Duration.ofSeconds(1));
    TestDeferredCall cancelled = callWithDeadline(Duration.ofSeconds(1));
    cancelled.cancel("no more", null);

    assertThat(dropped.toString()).contains("UNDECIDED", "not started");
    assertThat(scheduler.pendingCount()).isZero();
    assertThat(executor.tasks).isEmpty();
    assertThat(cancelled.abandoned).hasSize(1);
  }

  @Test
  @DisplayName("A2 A channel that throws from newCall, or gives null, fails the call, not its user")
  void throwingSupplierClosesTheCall() {
    TestDeferredCall call = call();
    call.atStart =
        h ->
            call.go(
                () -> {
                  throw new IllegalArgumentException("no such method");
                });
    unaryScript(call);
    assertClosedOnce(Status.Code.UNKNOWN);
    assertThat(listener.status.getCause()).hasMessage("no such method");

    RecordingListener<String> other = new RecordingListener<>();
    TestDeferredCall nothing = call();
    nothing.start(other, headers);
    nothing.go(() -> null);
    executor.runAll();
    assertThat(other.events()).containsExactly("close UNKNOWN");
  }

  @Test
  @DisplayName("A3 The delegate is created lazily and in the Context of whoever made the call")
  void delegateIsCreatedInTheCapturedContext() throws Exception {
    Context made = Context.ROOT.withValue(CONTEXT_KEY, "ann");
    List<String> seen = new ArrayList<>();
    TestDeferredCall call = made.call(this::call);
    unaryScript(call);
    assertThat(seen).isEmpty();
    call.go(
        () -> {
          seen.add(CONTEXT_KEY.get());
          return delegate;
        });
    assertThat(seen).containsExactly("ann");
    assertThat(CONTEXT_KEY.get(delegate.startedIn)).isEqualTo("ann");
    assertThat(CONTEXT_KEY.get()).isNull();
  }

  @Test
  @DisplayName("A4 Operations before start and twice are refused as by a real call")
  void illegalUseIsRefused() {
    TestDeferredCall call = call();
    assertThatThrownBy(() -> call.request(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.sendMessage("m")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(call::halfClose).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.setMessageCompression(true))
        .isInstanceOf(IllegalStateException.class);
    assertThat(call.isReady()).isFalse();
    assertThat(call.getAttributes()).isEqualTo(Attributes.EMPTY);
    assertThatThrownBy(() -> call.start(null, headers)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> call.start(listener, null)).isInstanceOf(NullPointerException.class);

    call.start(listener, headers);
    assertThatThrownBy(() -> call.start(listener, headers))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Already started");
    assertThatThrownBy(() -> call.request(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatCode(() -> call.request(0)).doesNotThrowAnyException();
    assertThatThrownBy(() -> call.sendMessage(null)).isInstanceOf(NullPointerException.class);
    call.halfClose();
    assertThatThrownBy(call::halfClose).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.sendMessage("late")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.stop(Status.OK)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> call.proceed(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  @DisplayName("A4 Cancel before start: start delivers onClose(CANCELLED), once, and no hook runs")
  void cancelBeforeStartIsDeliveredAtStart() {
    TestDeferredCall call = call();
    call.atStart = h -> listener.faults.add("hook ran");
    call.cancel("first", null);
    call.cancel("second", null);
    assertThat(call.go(delegate)).isFalse();
    unaryScript(call);
    assertClosedOnce(Status.Code.CANCELLED);
    assertThat(listener.status.getDescription()).isEqualTo("first");
    assertThat(delegate.log()).isEmpty();
  }

  @Test
  @DisplayName("A5 A hook that throws ends the call with one onClose and orphans no delegate")
  void throwingHookEndsTheCall() {
    for (Throwable thrown :
        List.of(
            new IllegalStateException("boom"),
            new NoSuchMethodError("boom"),
            Status.UNKNOWN.withDescription("boom").asRuntimeException())) {
      for (boolean inStart : new boolean[] {true, false}) {
        for (boolean decidedBefore : new boolean[] {true, false}) {
          RecordingListener<String> own = new RecordingListener<>();
          TestDeferredCall call = callWithDeadline(Duration.ofSeconds(1));
          Runnable hook =
              () -> {
                if (decidedBefore) {
                  assertThat(call.go(delegate)).isTrue();
                }
                sneak(thrown);
              };
          if (inStart) {
            call.atStart = h -> hook.run();
          } else {
            call.atFirstMessage = m -> hook.run();
          }
          call.start(own, new Metadata());
          call.request(2);
          call.sendMessage("m");
          call.halfClose();
          executor.runAll();
          assertThat(own.events()).containsExactly("close UNKNOWN");
          assertThat(own.status.toString()).contains("boom");
          assertThat(delegate.log()).isEmpty();
          assertThat(scheduler.pendingCount()).isZero();
          assertThat(call.abandoned).hasSize(1);
        }
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  @DisplayName("A5 A hook may name the status and the trailers by what it throws")
  void hookChoosesTheStatus() {
    Metadata trailers = new Metadata();
    trailers.put(KEY, "v");
    TestDeferredCall call = call();
    call.atStart =
        h -> {
          throw new StatusRuntimeException(Status.NOT_FOUND.withDescription("gone"), trailers);
        };
    unaryScript(call);
    assertClosedOnce(Status.Code.NOT_FOUND);
    assertThat(listener.trailers.get(KEY)).isEqualTo("v");
    assertThat(listener.trailers).isNotSameAs(trailers);
  }

  @Test
  @DisplayName("A5 A delegate whose start throws inside our start throws at the caller, cancelled")
  void startThatThrowsInsideStart() {
    TestDeferredCall call = call();
    delegate.onOperation =
        operation -> {
          if (operation.equals("start")) {
            throw new IllegalStateException("no");
          }
        };
    call.atStart = h -> call.go(delegate);
    assertThatThrownBy(() -> call.start(listener, headers)).hasMessage("no");
    assertThat(delegate.log()).containsExactly("start", "cancel start of the delegate threw");
    assertThatCode(
            () -> {
              call.request(2);
              call.sendMessage("m");
              call.halfClose();
            })
        .doesNotThrowAnyException();
  }

  @Test
  @DisplayName("A5 A delegate whose late start throws closes the call once, whoever closes first")
  void startThatThrowsLater() {
    for (boolean calledBack : new boolean[] {true, false}) {
      RecordingListener<String> own = new RecordingListener<>();
      ScriptedCall throwing = new ScriptedCall();
      throwing.onOperation =
          operation -> {
            if (operation.equals("start")) {
              if (calledBack) {
                throwing.listener.onHeaders(new Metadata());
              }
              throw new IllegalStateException("no");
            }
          };
      TestDeferredCall call = call();
      call.start(own, new Metadata());
      call.request(1);
      assertThat(call.go(throwing)).isTrue();
      executor.runAll();
      assertThat(own.closes()).isEqualTo(1);
      assertThat(own.faults()).isEmpty();
      assertThat(throwing.log()).containsExactly("start", "cancel start of the delegate threw");
      assertThat(own.status.getCode())
          .isEqualTo(calledBack ? Status.Code.CANCELLED : Status.Code.UNKNOWN);
    }
  }

  @Test
  @DisplayName("A6 After a local failure every operation is a no-op and isReady is false")
  void operationsAfterFailureAreNoOps() {
    TestDeferredCall call = call();
    call.atStart = h -> call.stop(Status.NOT_FOUND.withDescription("session is gone"));
    unaryScript(call);
    call.setMessageCompression(true);
    call.sendMessage("another");
    call.halfClose();
    call.request(1);
    call.cancel("late", null);
    assertThat(call.isReady()).isFalse();
    assertThat(call.getAttributes()).isEqualTo(Attributes.EMPTY);
    assertClosedOnce(Status.Code.NOT_FOUND);
    assertThat(call.abandoned).isEmpty();
  }

  @Test
  @DisplayName("A7 One delegate is started, with the caller's headers, and they are not touched on")
  void headersGoToOneDelegate() {
    headers.put(KEY, "v");
    TestDeferredCall call = call();
    call.atStart = h -> h.put(KEY, "from the hook");
    unaryScript(call);
    call.go(delegate);
    assertThat(call.go(new ScriptedCall())).isFalse();
    assertThat(delegate.headers).isSameAs(headers);
    assertThat(delegate.headers.getAll(KEY)).containsExactly("v", "from the hook");
  }

  @Test
  @DisplayName("A8 Trailers are copied, so that one value stays one value however often it is used")
  void trailersAreCopied() {
    Metadata shared = new Metadata();
    shared.put(KEY, "v");
    for (int i = 0; i < 3; i++) {
      RecordingListener<String> own = new RecordingListener<>();
      TestDeferredCall call = call();
      call.stop(Status.NOT_FOUND, shared);
      call.start(own, new Metadata());
      executor.runAll();
      assertThat(own.trailers.getAll(KEY)).containsExactly("v");
      own.trailers.put(KEY, "the application's");
    }
    assertThat(shared.getAll(KEY)).containsExactly("v");
  }

  @Test
  @DisplayName("B2 A close of ours comes through the call's own executor, never inline")
  void closeComesThroughTheCallExecutor() {
    QueuedExecutor own = new QueuedExecutor();
    TestDeferredCall call = new TestDeferredCall(CallOptions.DEFAULT.withExecutor(own), runtime);
    unaryScript(call);
    call.stop(Status.NOT_FOUND);
    assertThat(listener.events()).isEmpty();
    assertThat(executor.tasks).isEmpty();
    own.runAll();
    assertThat(listener.events()).containsExactly("close NOT_FOUND");
  }

  @Test
  @DisplayName("B3 A close survives an executor that rejects, and a second one")
  void rejectingExecutorsLoseNoClose() {
    QueuedExecutor own = new QueuedExecutor();
    own.rejecting = true;
    for (boolean bothReject : new boolean[] {false, true}) {
      executor.rejecting = bothReject;
      RecordingListener<String> at = new RecordingListener<>();
      TestDeferredCall call = new TestDeferredCall(CallOptions.DEFAULT.withExecutor(own), runtime);
      call.start(at, new Metadata());
      call.cancel("enough", null);
      assertThat(at.events()).hasSize(bothReject ? 1 : 0);
      executor.runAll();
      assertThat(at.events()).containsExactly("close CANCELLED");
    }
  }

  @Test
  @DisplayName("B3 An executor that runs the task and throws all the same closes once")
  void executorThatRunsAndThrows() {
    TestDeferredCall call =
        new TestDeferredCall(
            CallOptions.DEFAULT.withExecutor(
                task -> {
                  task.run();
                  throw new IllegalStateException("after the fact");
                }),
            runtime);
    call.start(listener, headers);
    call.stop(Status.NOT_FOUND);
    assertClosedOnce(Status.Code.NOT_FOUND);
  }

  @Test
  @DisplayName("B4 Inside onClose the call has ended already; what onClose throws harms nobody")
  void stateIsUpdatedBeforeOnClose() {
    TestDeferredCall call = callWithDeadline(Duration.ofSeconds(5));
    List<String> inClose = new ArrayList<>();
    listener.onEvent =
        event -> {
          inClose.add(call.toString() + scheduler.pendingCount() + call.go(delegate));
          call.sendMessage("from onClose");
          throw new NoSuchMethodError("application fault");
        };
    unaryScript(call);
    assertThat(scheduler.pendingCount()).isEqualTo(1);
    assertThatCode(() -> call.stop(Status.NOT_FOUND)).doesNotThrowAnyException();
    assertThatCode(executor::runAll).doesNotThrowAnyException();
    assertThat(inClose).hasSize(1).first().asString().contains("CLOSED").endsWith("0false");
    assertClosedOnce(Status.Code.NOT_FOUND);
  }

  @Test
  @DisplayName("B5 B10 A Trailers-Only end passes through, the very same status and metadata")
  void trailersOnlyPassesThrough() {
    TestDeferredCall call = call();
    unaryScript(call);
    call.go(delegate);
    Status status = Status.INTERNAL.withDescription("server");
    Metadata trailers = new Metadata();
    delegate.listener.onClose(status, trailers);
    assertThat(listener.events()).containsExactly("close INTERNAL");
    assertThat(listener.status).isSameAs(status);
    assertThat(listener.trailers).isSameAs(trailers);
  }

  @Test
  @DisplayName("B7 A failure comes with its own trailers, byte for byte")
  void failureKeepsItsTrailers() {
    Metadata.Key<byte[]> key = Metadata.Key.of("d-bin", Metadata.BINARY_BYTE_MARSHALLER);
    Metadata trailers = new Metadata();
    trailers.put(key, new byte[] {0, -1, 7});
    TestDeferredCall call = call();
    unaryScript(call);
    call.stop(Status.FAILED_PRECONDITION, trailers);
    executor.runAll();
    assertThat(listener.trailers.get(key)).containsExactly(0, -1, 7);
  }

  @Test
  @DisplayName("B9 An onReady during the hand-over is not lost: isReady says yes inside it")
  void readyDuringHandOver() {
    TestDeferredCall call = call();
    List<Boolean> seen = new ArrayList<>();
    listener.onEvent = event -> seen.add(call.isReady());
    delegate.onOperation =
        operation -> {
          if (operation.equals("message m")) {
            delegate.ready = true;
            delegate.listener.onReady();
          }
        };
    unaryScript(call);
    call.go(
        () -> {
          assertThat(call.isReady()).isFalse();
          return delegate;
        });
    assertThat(seen).containsExactly(true);
  }

  @Test
  @DisplayName("C1 A delegate that calls back into the call from start meets no lock of ours")
  void reentrantDelegate() {
    TestDeferredCall call = call();
    List<Boolean> free = new ArrayList<>();
    delegate.onOperation =
        operation -> {
          free.add(lockIsFree(call));
          if (operation.equals("start")) {
            call.request(3);
            call.cancel("from start", null);
          }
        };
    unaryScript(call);
    call.go(
        () -> {
          free.add(lockIsFree(call));
          return delegate;
        });
    assertThat(free).isNotEmpty().doesNotContain(false);
    assertThat(delegate.log()).containsExactly("start", "cancel from start");
    assertThat(delegate.faults).isEmpty();
    assertThat(listener.events()).containsExactly("close CANCELLED");
  }

  @Test
  @DisplayName("C1 Hooks and listeners run with no lock held")
  void hooksAndListenersRunWithoutALock() {
    TestDeferredCall call = callWithDeadline(Duration.ofSeconds(1));
    List<Boolean> free = new ArrayList<>();
    call.atStart = h -> free.add(lockIsFree(call));
    call.atFirstMessage = m -> free.add(lockIsFree(call));
    listener.onEvent = event -> free.add(lockIsFree(call));
    unaryScript(call);
    clock.advance(Duration.ofSeconds(2));
    executor.runAll();
    assertThat(free).containsExactly(true, true, true);
  }

  /** toString takes the lock, so another thread gets through it only when nobody holds it. */
  private static boolean lockIsFree(TestDeferredCall call) {
    Thread other = new Thread(() -> assertThat(call.toString()).isNotEmpty());
    other.start();
    try {
      other.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !other.isAlive();
  }

  @Test
  @DisplayName("C2 What was kept reaches the delegate in order, and what comes meanwhile behind it")
  void orderIsKept() {
    TestDeferredCall call = call();
    delegate.onOperation =
        operation -> {
          if (operation.equals("message 2")) {
            call.request(1);
            call.sendMessage("5");
            call.halfClose();
          }
        };
    call.start(listener, headers);
    call.request(2);
    call.request(Integer.MAX_VALUE);
    call.setMessageCompression(false);
    call.sendMessage("1");
    call.setMessageCompression(true);
    call.sendMessage("2");
    call.sendMessage("3");
    call.sendMessage("4");
    call.go(delegate);
    assertThat(delegate.log())
        .containsExactly(
            "start",
            "request " + Integer.MAX_VALUE,
            "compression false",
            "message 1",
            "compression true",
            "message 2",
            "request 1",
            "message 3",
            "message 4",
            "message 5",
            "halfClose");
    assertThat(delegate.faults).isEmpty();
    call.cancel("direct", null);
    assertThat(delegate.log()).endsWith("cancel direct");
  }

  @Test
  @DisplayName("C2 The unary script reaches the delegate whole at every point of decision")
  void unaryScriptAtEveryPointOfDecision() {
    for (int point = 0; point <= 5; point++) {
      ScriptedCall target = new ScriptedCall();
      TestDeferredCall call = call();
      call.atFirstMessage = m -> {};
      if (point == 0) {
        call.go(target);
      }
      call.start(new RecordingListener<>(), new Metadata());
      decideAt(1, point, call, target);
      call.request(2);
      decideAt(2, point, call, target);
      call.sendMessage("m");
      decideAt(3, point, call, target);
      call.halfClose();
      decideAt(4, point, call, target);
      call.request(1);
      decideAt(5, point, call, target);
      assertThat(target.log()).startsWith("start").containsSubsequence("message m", "halfClose");
      assertThat(target.log().stream().filter(o -> o.startsWith("request")).toList())
          .isIn(List.of("request 2", "request 1"), List.of("request 3"));
      assertThat(target.log()).hasSizeBetween(4, 5);
      assertThat(target.faults).isEmpty();
    }
  }

  private static void decideAt(int here, int point, TestDeferredCall call, ScriptedCall target) {
    if (here == point) {
      assertThat(call.go(target)).isTrue();
    }
  }

  @Test
  @DisplayName("C3 The first decision wins; a delegate that lost is not even asked for")
  void firstDecisionWins() {
    AtomicInteger asked = new AtomicInteger();
    TestDeferredCall call = call();
    unaryScript(call);
    assertThat(call.stop(Status.NOT_FOUND)).isTrue();
    assertThat(
            call.go(
                () -> {
                  asked.incrementAndGet();
                  return delegate;
                }))
        .isFalse();
    assertThat(call.stop(Status.INTERNAL)).isFalse();
    call.cancel("late", null);
    assertClosedOnce(Status.Code.NOT_FOUND);
    assertThat(asked).hasValue(0);
  }

  @Test
  @DisplayName("C3 A cancel while the delegate is being created cancels it and never starts it")
  void cancelWhileCreating() {
    TestDeferredCall call = call();
    unaryScript(call);
    call.go(
        () -> {
          call.cancel("changed my mind", null);
          return delegate;
        });
    assertThat(delegate.log()).containsExactly("cancel changed my mind");
    assertClosedOnce(Status.Code.CANCELLED);
  }

  @Test
  @DisplayName("C4 A cancel at each step leads to onClose, with or without a reason")
  void cancelAtEachStep() {
    for (int step = 0; step <= 4; step++) {
      RecordingListener<String> own = new RecordingListener<>();
      TestDeferredCall call = callWithDeadline(Duration.ofSeconds(1));
      int at = step;
      Runnable[] script = {
        () -> call.start(own, new Metadata()),
        () -> call.request(2),
        () -> call.sendMessage("m"),
        call::halfClose
      };
      for (int i = 0; i <= script.length; i++) {
        if (i == at) {
          call.cancel(null, null);
        }
        if (i < script.length) {
          script[i].run();
        }
      }
      executor.runAll();
      assertThat(own.events()).containsExactly("close CANCELLED");
      assertThat(own.status.getDescription()).isNotEmpty();
      assertThat(scheduler.pendingCount()).isZero();
      assertThat(call.abandoned).hasSize(1);
    }
  }

  @Test
  @DisplayName("C5 The deadline ends a waiting call and says what it waited for")
  void deadlineEndsAWaitingCall() {
    TestDeferredCall call = callWithDeadline(Duration.ofMillis(300));
    unaryScript(call);
    clock.advance(Duration.ofMillis(299));
    executor.runAll();
    assertThat(listener.events()).isEmpty();
    clock.advance(Duration.ofMillis(1));
    assertClosedOnce(Status.Code.DEADLINE_EXCEEDED);
    assertThat(listener.status.getDescription())
        .isEqualTo(
            "deadline passed while the call waited for an access token; the request was not sent");
    assertThat(call.go(delegate)).isFalse();
    assertThat(delegate.log()).isEmpty();
  }

  @Test
  @DisplayName("C5 The earlier deadline counts, of the options or of the Context")
  void earlierDeadlineCounts() throws Exception {
    Context.CancellableContext context =
        Context.current().withDeadline(clock.deadlineAfter(Duration.ofMillis(100)), scheduler);
    try {
      TestDeferredCall call = context.call(() -> callWithDeadline(Duration.ofSeconds(9)));
      unaryScript(call);
      clock.advance(Duration.ofMillis(100));
      assertClosedOnce(Status.Code.DEADLINE_EXCEEDED);
      assertThat(Contexts.listeners(context)).isZero();
    } finally {
      context.cancel(null);
    }
  }

  @Test
  @DisplayName("C5 A deadline that has passed at start ends the call at once")
  void passedDeadlineEndsTheCallAtOnce() {
    TestDeferredCall call = callWithDeadline(Duration.ofMillis(-20));
    unaryScript(call);
    assertClosedOnce(Status.Code.DEADLINE_EXCEEDED);
    assertThat(listener.status.getDescription()).contains("20 ms ago");
  }

  @Test
  @DisplayName("C5 The timer goes at the hand-over and never kills a call that has a delegate")
  void deadlineLeavesTheRealCallAlone() {
    TestDeferredCall call = callWithDeadline(Duration.ofMillis(300));
    unaryScript(call);
    assertThat(scheduler.pendingCount()).isEqualTo(1);
    call.go(delegate);
    assertThat(scheduler.pendingCount()).isZero();
    clock.advance(Duration.ofSeconds(9));
    assertThat(delegate.log()).containsExactly("start", "request 2", "message m", "halfClose");
    assertThat(listener.events()).isEmpty();
  }

  @Test
  @DisplayName("C5 C6 A decision inside start arms no timer and no Context listener")
  void decisionInsideStartArmsNothing() {
    Context.CancellableContext context = Context.current().withCancellation();
    try {
      context.run(
          () -> {
            TestDeferredCall call = callWithDeadline(Duration.ofMillis(300));
            call.atStart = h -> call.go(delegate);
            unaryScript(call);
            assertThat(delegate.log()).hasSize(4);
            assertThat(delegate.listener).isSameAs(listener);
          });
      assertThat(scheduler.pendingCount()).isZero();
      assertThat(Contexts.listeners(context)).isZero();
    } finally {
      context.cancel(null);
    }
  }

  @Test
  @DisplayName("C5 A scheduler that rejects ends the call, because nothing would bound its wait")
  void rejectingSchedulerEndsTheCall() {
    TestDeferredCall call = callWithDeadline(Duration.ofMillis(300));
    scheduler.shutdown();
    unaryScript(call);
    assertClosedOnce(Status.Code.CANCELLED);
    assertThat(listener.status.getDescription()).contains("scheduler");
  }

  @Test
  @DisplayName("C6 A cancelled Context ends a waiting call, and the listener is removed every time")
  void contextCancellationEndsAWaitingCall() throws Exception {
    for (String how : List.of("context", "timeout", "cancel", "proceed", "fail", "deadline")) {
      Context.CancellableContext context = Context.current().withCancellation();
      RecordingListener<String> own = new RecordingListener<>();
      TestDeferredCall call = context.call(() -> callWithDeadline(Duration.ofSeconds(1)));
      call.start(own, new Metadata());
      call.request(1);
      assertThat(Contexts.listeners(context)).as(how).isEqualTo(1);
      switch (how) {
        case "context" -> context.cancel(new IllegalStateException("user left"));
        case "timeout" -> context.cancel(new TimeoutException("late"));
        case "cancel" -> call.cancel("enough", null);
        case "proceed" -> call.go(new ScriptedCall());
        case "fail" -> call.stop(Status.NOT_FOUND);
        default -> clock.advance(Duration.ofSeconds(2));
      }
      assertThat(Contexts.listeners(context)).as(how).isZero();
      assertThat(scheduler.pendingCount()).as(how).isZero();
      executor.runAll();
      assertThat(own.closes()).as(how).isEqualTo(how.equals("proceed") ? 0 : 1);
      if (how.equals("context")) {
        assertThat(own.status.getCode()).isEqualTo(Status.Code.CANCELLED);
        assertThat(own.status.getDescription()).contains("Context", "an access token");
        assertThat(own.status.getCause()).hasMessage("user left");
      }
      if (how.equals("timeout")) {
        assertThat(own.status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
      }
      context.cancel(null);
    }
  }

  @Test
  @DisplayName("C6 A Context that was cancelled before start ends the call, unless it is decided")
  void cancelledContextAtStart() throws Exception {
    Context.CancellableContext context = Context.current().withCancellation();
    TestDeferredCall call = context.call(this::call);
    context.cancel(null);
    unaryScript(call);
    assertClosedOnce(Status.Code.CANCELLED);
  }

  @Test
  @DisplayName("C7 Our close and the hand-over run in the captured Context")
  void callbacksRunInTheCapturedContext() throws Exception {
    Context made = Context.ROOT.withValue(CONTEXT_KEY, "ann");
    TestDeferredCall call = made.call(this::call);
    unaryScript(call);
    call.stop(Status.NOT_FOUND);
    executor.runAll();
    assertThat(listener.contexts).extracting(CONTEXT_KEY::get).containsExactly("ann");
    assertThat(Context.current()).isSameAs(Context.ROOT);
  }

  @Test
  @DisplayName("C9 A failure inside start is posted: no onClose before start has returned")
  void noCloseInsideStart() {
    TestDeferredCall call = call();
    call.atStart = h -> call.stop(Status.NOT_FOUND);
    call.start(listener, headers);
    assertThat(listener.events()).isEmpty();
    assertClosedOnce(Status.Code.NOT_FOUND);
  }

  @Test
  @DisplayName("C12 isReady is false and the attributes are empty until the delegate is started")
  void readinessFollowsTheDelegate() {
    delegate.ready = true;
    TestDeferredCall call = call();
    unaryScript(call);
    assertThat(call.isReady()).isFalse();
    assertThat(call.getAttributes()).isEqualTo(Attributes.EMPTY);
    call.go(delegate);
    assertThat(call.isReady()).isTrue();
    assertThat(call.getAttributes()).isNotEqualTo(Attributes.EMPTY);
  }

  @Test
  @DisplayName("C13 Once handed over, a call is never swapped, failed or ended by us")
  void handedOverIsFinal() {
    TestDeferredCall call = callWithDeadline(Duration.ofSeconds(1));
    unaryScript(call);
    call.go(delegate);
    assertThat(call.go(new ScriptedCall())).isFalse();
    assertThat(call.stop(Status.INTERNAL)).isFalse();
    clock.advance(Duration.ofSeconds(5));
    executor.runAll();
    assertThat(listener.events()).isEmpty();
    assertThat(delegate.log()).hasSize(4);
  }

  @Test
  @DisplayName("An operation that the delegate throws at during the hand-over ends the call")
  void throwingOperationDuringHandOver() {
    TestDeferredCall call = call();
    delegate.onOperation =
        operation -> {
          if (operation.startsWith("message")) {
            throw new IllegalStateException("cannot be encoded");
          }
        };
    unaryScript(call);
    assertThatCode(() -> call.go(delegate)).doesNotThrowAnyException();
    assertThat(listener.events()).containsExactly("close CANCELLED");
    assertThat(listener.status.getCause()).hasMessage("cannot be encoded");
    assertThat(delegate.log()).doesNotContain("halfClose");
    assertThatCode(() -> call.sendMessage("more")).doesNotThrowAnyException();
  }

  @Test
  @DisplayName("A decision inside the first message takes effect with that message behind it")
  void decisionInsideFirstMessage() {
    TestDeferredCall call = call();
    List<String> hooked = new ArrayList<>();
    call.atFirstMessage =
        m -> {
          hooked.add(m);
          call.go(delegate);
          assertThat(delegate.log()).isEmpty();
        };
    call.start(listener, headers);
    call.request(2);
    call.sendMessage("1");
    call.sendMessage("2");
    call.halfClose();
    assertThat(hooked).containsExactly("1");
    assertThat(delegate.log())
        .containsExactly("start", "request 2", "message 1", "message 2", "halfClose");
  }

  @Test
  @DisplayName("The hook for the first message runs once, also when it decides nothing")
  void firstMessageHookRunsOnce() {
    TestDeferredCall call = call();
    List<String> hooked = new ArrayList<>();
    call.atFirstMessage = hooked::add;
    call.start(listener, headers);
    call.sendMessage("1");
    call.sendMessage("2");
    assertThat(hooked).containsExactly("1");
  }

  @Test
  @DisplayName("A waitingFor that throws costs its text, not the deadline")
  void throwingWaitingFor() {
    DeferredClientCall<String, String> call =
        new DeferredClientCall<>(
            CallOptions.DEFAULT.withDeadline(clock.deadlineAfter(Duration.ofMillis(1))), runtime) {
          @Override
          protected String waitingFor() {
            throw new IllegalStateException("no text");
          }
        };
    call.start(listener, headers);
    clock.advance(Duration.ofSeconds(1));
    assertClosedOnce(Status.Code.DEADLINE_EXCEEDED);
    assertThat(listener.status.getDescription()).contains("a decision");
  }

  @Test
  void aWaitingForThatGivesNullLeavesNoNullInTheText() {
    TestDeferredCall call =
        new TestDeferredCall(
            CallOptions.DEFAULT.withDeadline(clock.deadlineAfter(Duration.ofMillis(1))), runtime);
    call.waitingFor = null;
    call.start(listener, headers);
    clock.advance(Duration.ofSeconds(1));
    assertClosedOnce(Status.Code.DEADLINE_EXCEEDED);
    assertThat(listener.status.getDescription()).contains("a decision").doesNotContain("null");
  }
}
