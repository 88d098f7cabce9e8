package dev.channelkit.call;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Pools whose threads are daemons and end when idle, so that an unclosed stack costs nothing. */
final class DaemonThreads {
  private static final long IDLE_SECONDS = 30;

  private DaemonThreads() {}

  static Executor executor() {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        factory("channelkit-executor-"));
  }

  static ScheduledExecutorService scheduler() {
    ScheduledThreadPoolExecutor scheduler =
        new ScheduledThreadPoolExecutor(1, factory("channelkit-scheduler-"));
    // Deadlines are nearly always cancelled; a cancelled one must not pin its call until it would
    // have run.
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    scheduler.allowCoreThreadTimeOut(true);
    return scheduler;
  }

  private static ThreadFactory factory(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return runnable -> {
      Thread thread = new Thread(runnable, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
