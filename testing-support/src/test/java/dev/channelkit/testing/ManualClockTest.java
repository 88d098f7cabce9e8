package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored")
class ManualClockTest {
  private final ManualClock clock = new ManualClock();
  private final ManualScheduler scheduler = new ManualScheduler(clock);
  private final List<String> ran = new ArrayList<>();

  private Runnable note(String name) {
    return () -> ran.add(name + "@" + Duration.between(START, clock.instant()).toSeconds());
  }

  private static final Instant START = Instant.parse(ManualClock.DEFAULT_START);

  @Test
  @DisplayName("time stands still until it is advanced, on every view alike")
  void standsStill() {
    long nanos = clock.nanoTime();
    Deadline deadline = Deadline.after(5, TimeUnit.SECONDS, clock.ticker());
    Deadline same = clock.deadlineAfter(Duration.ofSeconds(5));
    assertThat(clock.instant()).isEqualTo(START);

    clock.advance(Duration.ofSeconds(4));

    assertThat(clock.instant()).isEqualTo(START.plusSeconds(4));
    assertThat(clock.nanoTime() - nanos).isEqualTo(4_000_000_000L);
    assertThat(deadline.isExpired()).isFalse();
    assertThat(deadline.timeRemaining(TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(deadline.compareTo(same)).isZero();

    clock.advance(Duration.ofSeconds(1));
    assertThat(deadline.isExpired()).isTrue();
  }

  @Test
  @DisplayName("a jump moves the wall clock alone and runs nothing")
  void jump() {
    scheduler.schedule(note("a"), 10, TimeUnit.SECONDS);
    Deadline deadline = clock.deadlineAfter(Duration.ofSeconds(10));
    long nanos = clock.nanoTime();

    clock.jumpTo(START.plusSeconds(3600));
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(3600));
    clock.jumpTo(START.minusSeconds(3600));

    assertThat(clock.nanoTime()).isEqualTo(nanos);
    assertThat(deadline.timeRemaining(TimeUnit.SECONDS)).isEqualTo(10);
    assertThat(ran).isEmpty();
    clock.advance(Duration.ofSeconds(10));
    assertThat(ran).hasSize(1);
    assertThat(clock.instant()).isEqualTo(START.minusSeconds(3590));
  }

  @Test
  @DisplayName("tasks run in the order of their times, each at its own time, on this thread")
  void order() {
    List<Thread> threads = new ArrayList<>();
    scheduler.schedule(note("c"), 3, TimeUnit.SECONDS);
    scheduler.schedule(note("a"), 1, TimeUnit.SECONDS);
    scheduler.schedule(() -> threads.add(Thread.currentThread()), 2, TimeUnit.SECONDS);
    scheduler.schedule(note("b1"), 2, TimeUnit.SECONDS);
    scheduler.schedule(note("b2"), 2, TimeUnit.SECONDS);
    scheduler.schedule(note("later"), 6, TimeUnit.SECONDS);

    clock.advance(Duration.ofSeconds(5));

    assertThat(ran).containsExactly("a@1", "b1@2", "b2@2", "c@3");
    assertThat(threads).containsExactly(Thread.currentThread());
    assertThat(scheduler.pendingCount()).isEqualTo(1);
    assertThat(scheduler.untilNext()).contains(Duration.ofSeconds(1));
  }

  @Test
  @DisplayName("a task added by a task runs in the same advance when it falls due in it")
  void taskAddsTask() {
    scheduler.schedule(
        () -> scheduler.schedule(note("inner"), 2, TimeUnit.SECONDS), 1, TimeUnit.SECONDS);
    clock.advance(Duration.ofSeconds(3));
    assertThat(ran).containsExactly("inner@3");
  }

  @Test
  @DisplayName("execute never runs inside the call, and runs at the next advance, also by zero")
  void execute() {
    scheduler.execute(note("now"));
    assertThat(ran).isEmpty();
    clock.advance(Duration.ZERO);
    assertThat(ran).containsExactly("now@0");
  }

  @Test
  @DisplayName("fixed rate and fixed delay repeat until cancelled, and leave the queue then")
  void periodic() {
    ScheduledFuture<?> rate = scheduler.scheduleAtFixedRate(note("rate"), 1, 2, TimeUnit.SECONDS);
    ScheduledFuture<?> delay =
        scheduler.scheduleWithFixedDelay(note("delay"), 2, 2, TimeUnit.SECONDS);
    clock.advance(Duration.ofSeconds(4));
    assertThat(ran).containsExactly("rate@1", "delay@2", "rate@3", "delay@4");
    assertThat(rate.getDelay(TimeUnit.SECONDS)).isEqualTo(1);

    assertThat(rate.cancel(false)).isTrue();
    assertThat(delay.cancel(false)).isTrue();
    assertThat(scheduler.pendingCount()).isZero();
    clock.advance(Duration.ofDays(1));
    assertThat(ran).hasSize(4);
  }

  @Test
  @DisplayName("a periodic task may cancel itself, and one that throws ends")
  void periodicEnds() {
    ScheduledFuture<?>[] self = new ScheduledFuture<?>[1];
    self[0] = scheduler.scheduleAtFixedRate(() -> self[0].cancel(false), 1, 1, TimeUnit.SECONDS);
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> failing =
        scheduler.scheduleAtFixedRate(
            () -> {
              runs.incrementAndGet();
              throw new IllegalStateException("boom");
            },
            1,
            1,
            TimeUnit.SECONDS);
    clock.advance(Duration.ofSeconds(10));
    assertThat(runs).hasValue(1);
    assertThat(self[0].isCancelled()).isTrue();
    assertThat(failing.isDone()).isTrue();
    assertThat(scheduler.pendingCount()).isZero();
    assertThat(scheduler.failures()).singleElement().asString().contains("boom");
  }

  @Test
  @DisplayName("a cancelled task is not pinned until its time")
  void cancelRemoves() {
    ScheduledFuture<?> task = scheduler.schedule(note("x"), 1, TimeUnit.HOURS);
    Future<?> submitted = scheduler.submit(note("y"));
    assertThat(scheduler.pendingCount()).isEqualTo(2);
    task.cancel(true);
    submitted.cancel(true);
    assertThat(scheduler.pendingCount()).isZero();
    clock.advance(Duration.ofHours(2));
    assertThat(ran).isEmpty();
  }

  @Test
  @DisplayName("a scheduled task's exception is in its future; an executed one's reaches advance")
  void exceptions() {
    ScheduledFuture<?> failing =
        scheduler.schedule(
            () -> {
              throw new IllegalStateException("kept");
            },
            1,
            TimeUnit.SECONDS);
    clock.advance(Duration.ofSeconds(1));
    assertThatThrownBy(failing::get)
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("kept");

    scheduler.execute(
        () -> {
          throw new AssertionError("first");
        });
    scheduler.execute(
        () -> {
          throw new IllegalStateException("second");
        });
    scheduler.execute(note("after"));
    assertThatThrownBy(() -> clock.advance(Duration.ZERO))
        .isInstanceOf(AssertionError.class)
        .hasMessage("first")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(ran).hasSize(1);
    assertThat(scheduler.failures()).hasSize(3);
  }

  @Test
  @DisplayName("shutdown rejects, drops periodic tasks, and lets delayed ones run")
  void shutdown() throws Exception {
    ScheduledFuture<?> periodic = scheduler.scheduleAtFixedRate(note("p"), 1, 1, TimeUnit.SECONDS);
    scheduler.schedule(note("once"), 1, TimeUnit.SECONDS);
    scheduler.shutdown();
    assertThat(periodic.isCancelled()).isTrue();
    assertThat(scheduler.isShutdown()).isTrue();
    assertThat(scheduler.isTerminated()).isFalse();
    assertThat(scheduler.awaitTermination(0, TimeUnit.SECONDS)).isFalse();
    assertThrows(RejectedExecutionException.class, () -> scheduler.execute(() -> {}));
    assertThrows(
        RejectedExecutionException.class, () -> scheduler.schedule(() -> {}, 1, TimeUnit.SECONDS));
    clock.advance(Duration.ofSeconds(1));
    assertThat(ran).containsExactly("once@1");
    assertThat(scheduler.isTerminated()).isTrue();
    assertThat(scheduler.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @DisplayName("shutdownNow hands back what waited, in order, and leaves other schedulers alone")
  void shutdownNow() {
    ManualScheduler other = new ManualScheduler(clock);
    other.schedule(note("other"), 1, TimeUnit.SECONDS);
    ScheduledFuture<?> second = scheduler.schedule(note("b"), 2, TimeUnit.SECONDS);
    ScheduledFuture<?> first = scheduler.schedule(note("a"), 1, TimeUnit.SECONDS);
    assertThat(scheduler.shutdownNow()).hasSize(2).first().isSameAs(first);
    assertThat(second.isCancelled()).isFalse();
    assertThat(scheduler.isTerminated()).isTrue();
    clock.advance(Duration.ofSeconds(5));
    assertThat(ran).containsExactly("other@1");
  }

  @Test
  @DisplayName("bad input is refused with its name")
  void badInput() {
    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("advance");
    assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("advance");
    assertThatThrownBy(() -> scheduler.scheduleAtFixedRate(() -> {}, 0, 0, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("period");
    assertThatThrownBy(() -> scheduler.execute(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  @DisplayName("a delay that would overflow never falls due early")
  void overflow() {
    ScheduledFuture<?> task = scheduler.schedule(note("x"), Long.MAX_VALUE, TimeUnit.DAYS);
    clock.advance(Duration.ofDays(36_500));
    assertThat(ran).isEmpty();
    assertThat(task.getDelay(TimeUnit.DAYS)).isPositive();
  }

  @Test
  @DisplayName("a task that adds itself without a delay is reported instead of hanging the test")
  void selfAddingTask() {
    Runnable[] self = new Runnable[1];
    self[0] = () -> scheduler.execute(self[0]);
    scheduler.execute(self[0]);
    assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("without a delay");
  }

  @Test
  @DisplayName("a task that advances the clock itself moves it on, never back")
  void nestedAdvance() {
    scheduler.schedule(() -> clock.advance(Duration.ofSeconds(10)), 1, TimeUnit.SECONDS);
    scheduler.schedule(note("between"), 5, TimeUnit.SECONDS);
    clock.advance(Duration.ofSeconds(2));
    assertThat(ran).containsExactly("between@5");
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(11));
  }

  @Test
  @DisplayName("threads that schedule, cancel and advance at once lose no task")
  void threads() throws Exception {
    int perThread = 2_000;
    AtomicInteger count = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Thread thread =
          new Thread(
              () -> {
                awaitQuietly(go);
                for (int i = 0; i < perThread; i++) {
                  ScheduledFuture<?> task =
                      scheduler.schedule(count::incrementAndGet, i % 7, TimeUnit.MILLISECONDS);
                  if (i % 5 == 0 && task.cancel(false)) {
                    cancelled.incrementAndGet();
                  }
                  if (i % 50 == 0) {
                    clock.advance(Duration.ofMillis(3));
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(count.get() + cancelled.get()).isEqualTo(4 * perThread);
    assertThat(scheduler.pendingCount()).isZero();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
