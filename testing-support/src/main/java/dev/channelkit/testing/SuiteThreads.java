package dev.channelkit.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The suite's own daemon threads, and the search for threads that an interceptor left behind. */
final class SuiteThreads {
  private static final String PREFIX = "conformance-";

  /** Threads that the JVM, JUnit, the build tool and gRPC start when they like. */
  private static final List<String> NOT_OURS =
      List.of(
          PREFIX,
          "grpc-",
          "junit-",
          "surefire",
          "ForkJoinPool.commonPool",
          "CompletableFutureDelayScheduler",
          "Common-Cleaner",
          "process reaper",
          "Attach Listener",
          "JFR ");

  static final ExecutorService CALLERS = Executors.newCachedThreadPool(factory("caller"));
  static final ExecutorService HELPERS = Executors.newCachedThreadPool(factory("helper"));
  static final ExecutorService CHANNEL = Executors.newFixedThreadPool(2, factory("channel"));
  static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(factory("timer"));

  private SuiteThreads() {}

  static ThreadFactory factory(String role) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, PREFIX + role + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler(
          (t, thrown) -> {
            if (!(thrown instanceof Ending.DeliberateError
                || thrown instanceof Ending.DeliberateException)) {
              System.getLogger("channelkit.testing")
                  .log(System.Logger.Level.WARNING, "thread " + t.getName() + " died", thrown);
            }
          });
      return thread;
    };
  }

  static Set<Thread> alive() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    for (ThreadGroup up = root.getParent(); up != null; up = up.getParent()) {
      root = up;
    }
    Thread[] all = new Thread[root.activeCount() * 2 + 16];
    int count = root.enumerate(all, true);
    return new HashSet<>(Arrays.asList(all).subList(0, count));
  }

  /** Threads that were not there before, are nobody else's, and do not end within the bound. */
  static List<String> leftSince(Set<Thread> before, Predicate<Thread> shared, Duration bound) {
    Predicate<Thread> left =
        thread ->
            thread.isAlive()
                && !before.contains(thread)
                && NOT_OURS.stream().noneMatch(thread.getName()::startsWith)
                && !shared.test(thread);
    List<Thread> found = alive().stream().filter(left).toList();
    if (!found.isEmpty()) {
      Await.until(() -> found.stream().noneMatch(Thread::isAlive), bound);
    }
    return found.stream().filter(Thread::isAlive).map(Thread::getName).toList();
  }

  static String stackOf(@Nullable Thread thread) {
    if (thread == null) {
      return "no thread";
    }
    StringBuilder text = new StringBuilder(thread.getName()).append(' ').append(thread.getState());
    for (StackTraceElement frame : thread.getStackTrace()) {
      text.append("\n      at ").append(frame);
    }
    return text.toString();
  }
}
