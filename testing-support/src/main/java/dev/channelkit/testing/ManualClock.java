package dev.channelkit.testing;

import io.grpc.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One virtual time that stands still until a test moves it.
 *
 * <p>Everything that asks for a time can follow the same clock: {@link #instant()} is the wall
 * clock, {@link #nanoTime()} the monotonic one, {@link #ticker()} serves {@code
 * Deadline.after(time, unit, ticker)}, and every {@link ManualScheduler} made on the clock runs its
 * tasks while {@link #advance} passes their times.
 *
 * <p>{@link #jumpTo} sets the wall clock alone, forwards or backwards, as an operator or NTP does:
 * monotonic time does not move and no task runs.
 *
 * <p>Thread-safe. Tasks run on the thread that calls {@link #advance}, one at a time, with no lock
 * held that {@code schedule}, {@code cancel} or a reading of the time needs; a second thread that
 * calls {@code advance} meanwhile waits until the first is done.
 *
 * @since 0.1
 */
public final class ManualClock implements InstantSource {
  /** Where {@link #ManualClock()} starts: {@value}. */
  public static final String DEFAULT_START = "2030-01-01T00:00:00Z";

  // System.nanoTime() may be negative and may pass zero; code that takes 0 for "unset" should fail
  // in a test, not in the field.
  private static final long FIRST_NANOS = -10_000_000_000L;
  private static final int MAX_TASKS_AT_ONE_TIME = 100_000;

  private record Time(long nanos, Instant wall) {}

  private final Object lock = new Object();
  private final ReentrantLock advancing = new ReentrantLock();
  private final PriorityQueue<ManualScheduler.Task<?>> queue = new PriorityQueue<>();
  private final Deadline.Ticker ticker =
      new Deadline.Ticker() {
        @Override
        public long nanoTime() {
          return time.nanos();
        }
      };
  private long lastSequence;
  private volatile Time time;

  /** Starts at {@value #DEFAULT_START}. */
  public ManualClock() {
    this(Instant.parse(DEFAULT_START));
  }

  /**
   * Starts at the given instant.
   *
   * @param start the first answer of {@link #instant()}; not null
   */
  public ManualClock(Instant start) {
    this.time = new Time(FIRST_NANOS, Objects.requireNonNull(start, "start"));
  }

  /** The wall-clock time: moved by {@link #advance} and set by {@link #jumpTo}. */
  @Override
  public Instant instant() {
    return time.wall();
  }

  /**
   * The monotonic time, moved by {@link #advance} alone. As with {@link System#nanoTime()} only
   * differences mean something; the first value is negative.
   *
   * @return nanoseconds
   */
  public long nanoTime() {
    return time.nanos();
  }

  /**
   * The monotonic time as the ticker of gRPC's deadlines, always the same object: gRPC refuses to
   * compare deadlines of different tickers.
   *
   * @return never null
   */
  public Deadline.Ticker ticker() {
    return ticker;
  }

  /**
   * A deadline on this clock.
   *
   * @param fromNow time until it expires; negative means already expired; not null
   * @return never null
   */
  public Deadline deadlineAfter(Duration fromNow) {
    return Deadline.after(saturatedNanos(fromNow), TimeUnit.NANOSECONDS, ticker);
  }

  /**
   * Moves both clocks forward and runs, on this thread and in the order of their times, every task
   * of this clock's schedulers that falls due on the way, tasks that those tasks add included. Each
   * task sees its own time as "now". {@code advance(Duration.ZERO)} runs what is due already.
   *
   * <p>What a task throws is kept in its future, and in {@link ManualScheduler#failures()}. A task
   * given to {@link ManualScheduler#execute} has no future: what it throws is thrown here once all
   * due tasks have run, the first one with the others suppressed.
   *
   * @param by how far; zero or positive; not null
   * @throws IllegalArgumentException if negative or more than {@link Long#MAX_VALUE} nanoseconds
   * @throws IllegalStateException if {@value #MAX_TASKS_AT_ONE_TIME} tasks ran without any time
   *     passing, so that a task that adds itself again without a delay cannot hang a test
   */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("advance: " + by + " is negative; use jumpTo to go back");
    }
    long nanos;
    try {
      nanos = by.toNanos();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("advance: " + by + " is more than 292 years", e);
    }
    Throwable first = null;
    advancing.lock();
    try {
      long target = plusSaturated(time.nanos(), nanos);
      int atOneTime = 0;
      long at = time.nanos();
      for (ManualScheduler.@Nullable Task<?> task = nextDue(target);
          task != null;
          task = nextDue(target)) {
        if (time.nanos() != at) {
          at = time.nanos();
          atOneTime = 0;
        }
        if (++atOneTime > MAX_TASKS_AT_ONE_TIME) {
          throw new IllegalStateException(
              MAX_TASKS_AT_ONE_TIME
                  + " tasks ran and no time passed: one adds itself again without a delay");
        }
        Throwable thrown = task.runNow();
        if (first == null) {
          first = thrown;
        } else if (thrown != null && thrown != first) {
          first.addSuppressed(thrown);
        }
      }
      synchronized (lock) {
        moveTo(target);
      }
    } finally {
      advancing.unlock();
    }
    if (first != null) {
      ManualClock.<RuntimeException>sneakyThrow(first);
    }
  }

  /**
   * Sets the wall clock alone, forwards or backwards. Monotonic time stands still, no task runs,
   * and no deadline comes nearer.
   *
   * @param instant the new wall-clock time; not null
   */
  public void jumpTo(Instant instant) {
    Objects.requireNonNull(instant, "instant");
    synchronized (lock) {
      time = new Time(time.nanos(), instant);
    }
  }

  /** Names the wall-clock time and the number of waiting tasks. */
  @Override
  public String toString() {
    synchronized (lock) {
      return "ManualClock{" + time.wall() + ", " + queue.size() + " tasks}";
    }
  }

  /** Takes the next task out of the queue and moves the time to it. */
  private ManualScheduler.@Nullable Task<?> nextDue(long target) {
    synchronized (lock) {
      ManualScheduler.Task<?> task = queue.peek();
      if (task == null || task.dueNanos() > Math.max(target, time.nanos())) {
        return null;
      }
      queue.remove();
      moveTo(task.dueNanos());
      return task;
    }
  }

  // A task may itself have advanced the clock, beyond the target of the advance that runs it.
  private void moveTo(long nanos) {
    if (nanos > time.nanos()) {
      time = new Time(nanos, time.wall().plusNanos(nanos - time.nanos()));
    }
  }

  Object lock() {
    return lock;
  }

  /** Called with {@link #lock()} held. */
  PriorityQueue<ManualScheduler.Task<?>> queue() {
    return queue;
  }

  /** Called with {@link #lock()} held. */
  long nextSequence() {
    return ++lastSequence;
  }

  static long plusSaturated(long nanos, long delay) {
    long sum = nanos + delay;
    return delay > 0 && sum < nanos ? Long.MAX_VALUE : sum;
  }

  private static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneakyThrow(Throwable t) throws T {
    throw (T) t;
  }
}
