package dev.channelkit.call;

import io.grpc.CallOptions;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Where calls that this toolkit owns run their callbacks and timers.
 *
 * <p>A call's own executor ({@link CallOptions#getExecutor()}) always comes first; the executor
 * here serves the calls that have none. Immutable and thread-safe; it never shuts an executor down
 * that it was given.
 *
 * @since 0.1
 */
public final class CallRuntime {
  private final Executor executor;
  private final ScheduledExecutorService scheduler;

  private CallRuntime(Executor executor, ScheduledExecutorService scheduler) {
    this.executor = executor;
    this.scheduler = scheduler;
  }

  /**
   * The runtime of this class loader: daemon threads, started at the first use, which never keep
   * the JVM alive and end after a time without work.
   *
   * @return the shared runtime; never null
   */
  public static CallRuntime shared() {
    return Holder.SHARED;
  }

  /**
   * A runtime on the caller's own threads.
   *
   * @param executor runs callbacks of calls whose options name no executor; not null
   * @param scheduler runs deadlines and delays, never callbacks; not null
   * @return the runtime; never null
   */
  public static CallRuntime of(Executor executor, ScheduledExecutorService scheduler) {
    return new CallRuntime(
        Objects.requireNonNull(executor, "executor"),
        Objects.requireNonNull(scheduler, "scheduler"));
  }

  /**
   * Where the callbacks of a call are to run.
   *
   * @param options of the call; not null
   * @return the executor of the options, else the one of this runtime; never null
   */
  public Executor executorFor(CallOptions options) {
    Executor own = options.getExecutor();
    return own != null ? own : executor;
  }

  /**
   * The executor for calls that name none.
   *
   * @return never null
   */
  public Executor executor() {
    return executor;
  }

  /**
   * The scheduler for deadlines and delays.
   *
   * @return never null
   */
  public ScheduledExecutorService scheduler() {
    return scheduler;
  }

  // A holder, so that a process that passes its own executors starts no thread of ours.
  private static final class Holder {
    static final CallRuntime SHARED =
        new CallRuntime(DaemonThreads.executor(), DaemonThreads.scheduler());
  }
}
