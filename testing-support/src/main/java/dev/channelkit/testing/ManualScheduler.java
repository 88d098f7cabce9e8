package dev.channelkit.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler without threads: its tasks run when {@link ManualClock#advance} passes their times,
 * on the thread that advances.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * ManualScheduler scheduler = new ManualScheduler(clock);
 * scheduler.schedule(task, 3, TimeUnit.SECONDS);
 * clock.advance(Duration.ofSeconds(3)); // runs the task
 * }</pre>
 *
 * <p>Several schedulers may share one clock; tasks of the same time run in the order they were
 * added. {@link #execute} and {@code submit} add a task that is due at once, so it runs at the next
 * {@code advance}, {@code advance(Duration.ZERO)} included: never inside {@code execute}. A
 * cancelled task leaves the queue at once. {@code invokeAll} and {@code invokeAny} block until
 * another thread advances the clock.
 *
 * <p>After {@link #shutdown()} new tasks are rejected, periodic tasks are cancelled, and delayed
 * ones still run when their time comes, as with the JDK's own scheduler.
 *
 * <p>Thread-safe.
 *
 * @since 0.1
 */
public final class ManualScheduler extends AbstractExecutorService
    implements ScheduledExecutorService {
  private final ManualClock clock;
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  // Guarded by the clock's lock.
  private boolean shutdown;
  private int running;

  /** A scheduler on a clock of its own, see {@link #clock()}. */
  public ManualScheduler() {
    this(new ManualClock());
  }

  /**
   * A scheduler on the given clock.
   *
   * @param clock whose time it follows; not null
   */
  public ManualScheduler(ManualClock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  /**
   * The clock that runs the tasks of this scheduler.
   *
   * @return never null
   */
  public ManualClock clock() {
    return clock;
  }

  /**
   * How many tasks wait for their time; a periodic task counts as one. Zero at the end of a test
   * shows that nothing was left behind.
   *
   * @return zero or more
   */
  public int pendingCount() {
    synchronized (clock.lock()) {
      int count = 0;
      for (Task<?> task : clock.queue()) {
        if (task.owner() == this) {
          count++;
        }
      }
      return count;
    }
  }

  /**
   * How far the clock must advance to run the next task.
   *
   * @return zero if a task is due already, empty if none waits
   */
  public Optional<Duration> untilNext() {
    synchronized (clock.lock()) {
      return clock.queue().stream()
          .filter(task -> task.owner() == this)
          .min(Task::compareTo)
          .map(task -> Duration.ofNanos(Math.max(0, task.dueNanos() - clock.nanoTime())));
    }
  }

  /**
   * Everything that tasks of this scheduler have thrown so far, oldest first. A task that fails in
   * the background is easily overlooked when nobody asks its future.
   *
   * @return a copy; never null
   */
  public List<Throwable> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void execute(Runnable command) {
    Objects.requireNonNull(command, "command");
    enqueue(new Task<>(Executors.callable(command), 0, 0, true));
  }

  @Override
  public Future<?> submit(Runnable task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> Future<T> submit(Runnable task, T result) {
    return schedule(Executors.callable(task, result), 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> Future<T> submit(Callable<T> task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    Objects.requireNonNull(command, "command");
    return schedule(Executors.callable(command), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return add(new Task<>(callable, unit.toNanos(delay), 0, false));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return addPeriodic(command, initialDelay, "period", period, unit, 1);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return addPeriodic(command, initialDelay, "delay", delay, unit, -1);
  }

  private ScheduledFuture<?> addPeriodic(
      Runnable command, long initialDelay, String name, long every, TimeUnit unit, int sign) {
    Objects.requireNonNull(command, "command");
    if (every <= 0) {
      throw new IllegalArgumentException(name + ": " + every + " is not positive");
    }
    return add(
        new Task<>(
            Executors.callable(command),
            unit.toNanos(initialDelay),
            sign * unit.toNanos(every),
            false));
  }

  private <V> Task<V> add(Task<V> task) {
    enqueue(task);
    return task;
  }

  private void enqueue(Task<?> task) {
    synchronized (clock.lock()) {
      if (shutdown) {
        throw new RejectedExecutionException("this ManualScheduler was shut down");
      }
      task.sequence = clock.nextSequence();
      clock.queue().add(task);
    }
  }

  /**
   * Rejects new tasks from now on and cancels the periodic ones. Delayed tasks that wait already
   * still run when their time comes.
   */
  @Override
  public void shutdown() {
    List<Task<?>> periodic = new ArrayList<>();
    synchronized (clock.lock()) {
      shutdown = true;
      for (Task<?> task : clock.queue()) {
        if (task.owner() == this && task.isPeriodic()) {
          periodic.add(task);
        }
      }
      clock.lock().notifyAll();
    }
    for (Task<?> task : periodic) {
      task.cancel(false);
    }
  }

  /**
   * Rejects new tasks from now on and takes out all that wait.
   *
   * @return the tasks taken out, which are not cancelled; never null
   */
  @Override
  public List<Runnable> shutdownNow() {
    List<Task<?>> removed = new ArrayList<>();
    synchronized (clock.lock()) {
      shutdown = true;
      for (Iterator<Task<?>> tasks = clock.queue().iterator(); tasks.hasNext(); ) {
        Task<?> task = tasks.next();
        if (task.owner() == this) {
          removed.add(task);
          tasks.remove();
        }
      }
      clock.lock().notifyAll();
    }
    removed.sort(Task::compareTo);
    return new ArrayList<>(removed);
  }

  /**
   * The same as {@link #shutdownNow()}: it never waits. (From Java 19 on executors have a {@code
   * close} that waits for every task, here for ever.)
   */
  @SuppressWarnings("MissingOverride") // does not exist on Java 17
  public void close() {
    Collection<Runnable> dropped = shutdownNow();
    dropped.clear();
  }

  @Override
  public boolean isShutdown() {
    synchronized (clock.lock()) {
      return shutdown;
    }
  }

  /** True after a shutdown once no task waits or runs. */
  @Override
  public boolean isTerminated() {
    synchronized (clock.lock()) {
      return shutdown && running == 0 && pendingCount() == 0;
    }
  }

  /** Waits in real time, not in the clock's, for another thread to advance the clock. */
  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    long end = ManualClock.plusSaturated(System.nanoTime(), unit.toNanos(timeout));
    synchronized (clock.lock()) {
      while (!isTerminated()) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(clock.lock(), left);
      }
      return true;
    }
  }

  /** Names the state and the number of waiting tasks. */
  @Override
  public String toString() {
    return "ManualScheduler{"
        + (isShutdown() ? "shut down, " : "")
        + pendingCount()
        + " tasks, "
        + clock
        + "}";
  }

  /** A task in the clock's queue. */
  final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    private final boolean rethrow;

    /** Positive: fixed rate; negative: fixed delay; zero: once. */
    private final long period;

    private volatile long dueNanos;
    private long sequence;
    private volatile @Nullable Throwable thrown;

    Task(Callable<V> callable, long delayNanos, long period, boolean rethrow) {
      super(callable);
      this.period = period;
      this.rethrow = rethrow;
      this.dueNanos = ManualClock.plusSaturated(clock.nanoTime(), Math.max(0, delayNanos));
    }

    ManualScheduler owner() {
      return ManualScheduler.this;
    }

    long dueNanos() {
      return dueNanos;
    }

    /** Runs it on this thread; the answer is what {@code advance} has to throw. */
    @Nullable Throwable runNow() {
      synchronized (clock.lock()) {
        running++;
      }
      try {
        run();
      } finally {
        synchronized (clock.lock()) {
          running--;
          clock.lock().notifyAll();
        }
      }
      Throwable failure = thrown;
      if (failure != null) {
        failures.add(failure);
      }
      return rethrow ? failure : null;
    }

    @Override
    public void run() {
      if (period == 0) {
        super.run();
      } else if (runAndReset()) {
        addAgain();
      }
    }

    private void addAgain() {
      synchronized (clock.lock()) {
        if (shutdown) {
          super.cancel(false);
          return;
        }
        // A cancel from another thread in this moment finds the task in the queue or, by
        // isCancelled, keeps it out of it.
        if (!isCancelled()) {
          dueNanos =
              period > 0
                  ? ManualClock.plusSaturated(dueNanos, period)
                  : ManualClock.plusSaturated(clock.nanoTime(), -period);
          sequence = clock.nextSequence();
          clock.queue().add(this);
        }
      }
    }

    @Override
    protected void setException(Throwable t) {
      thrown = t;
      super.setException(t);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      synchronized (clock.lock()) {
        if (cancelled) {
          clock.queue().remove(this);
        }
        clock.lock().notifyAll();
      }
      return cancelled;
    }

    @Override
    public boolean isPeriodic() {
      return period != 0;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - clock.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      if (other instanceof Task<?> task) {
        int byTime = Long.compare(dueNanos, task.dueNanos);
        return byTime != 0 ? byTime : Long.compare(sequence, task.sequence);
      }
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    // Identity: compareTo answers zero for different tasks only where sequences repeat, which they
    // do not.
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
