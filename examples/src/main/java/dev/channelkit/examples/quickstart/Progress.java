package dev.channelkit.examples.quickstart;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells on standard error what is going on: one live line on a terminal, few lines elsewhere. */
final class Progress {
  private final PrintStream out;
  private final boolean terminal;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Says one thing. */
  void say(String text) {
    out.println(text);
  }

  /** Does something slow and shows meanwhile that it goes on. */
  <T> T during(String what, Callable<T> work) throws Exception {
    long start = System.nanoTime();
    CountDownLatch done = new CountDownLatch(1);
    Thread ticker = new Thread(() -> tick(what, start, done), "quickstart-progress");
    ticker.setDaemon(true);
    boolean finished = false;
    ticker.start();
    try {
      T result = work.call();
      finished = true;
      return result;
    } finally {
      done.countDown();
      ticker.join();
      out.printf(
          "%s%s ... %s after %.1f s%n",
          terminal ? "\r" : "", what, finished ? "done" : "failed", seconds(start));
      out.flush();
    }
  }

  private void tick(String what, long start, CountDownLatch done) {
    Duration every = terminal ? Duration.ofSeconds(1) : Duration.ofSeconds(5);
    try {
      do {
        if (terminal) {
          out.printf("\r%s ... %.0f s", what, seconds(start));
        } else {
          out.printf("%s ... %.0f s%n", what, seconds(start));
        }
        out.flush();
      } while (!done.await(every.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
