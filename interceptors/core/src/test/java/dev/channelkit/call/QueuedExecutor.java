package dev.channelkit.call;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Runs tasks when told to, or rejects them. */
final class QueuedExecutor implements Executor {
  final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  boolean rejecting;
  int rejected;

  @Override
  public void execute(Runnable task) {
    if (rejecting) {
      rejected++;
      throw new RejectedExecutionException("full");
    }
    tasks.add(task);
  }

  void runAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }
}
