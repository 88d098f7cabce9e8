package dev.channelkit.auth;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Keeps tasks until a test runs them on its own thread. */
final class HeldExecutor implements Executor {
  private final Deque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public synchronized void execute(Runnable task) {
    tasks.add(task);
  }

  synchronized int held() {
    return tasks.size();
  }

  void runAll() {
    while (true) {
      Runnable task;
      synchronized (this) {
        task = tasks.poll();
      }
      if (task == null) {
        return;
      }
      task.run();
    }
  }
}
