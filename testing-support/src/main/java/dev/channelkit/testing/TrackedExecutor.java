package dev.channelkit.testing;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs tasks on another executor and lets a callback ask whether it runs inside such a task. */
final class TrackedExecutor implements Executor {
  private final Executor delegate;
  private final ThreadLocal<@Nullable Boolean> inside = new ThreadLocal<>();

  TrackedExecutor(Executor delegate) {
    this.delegate = delegate;
  }

  boolean isRunningThis() {
    return inside.get() != null;
  }

  @Override
  public void execute(Runnable task) {
    delegate.execute(
        () -> {
          Boolean outer = inside.get();
          inside.set(true);
          try {
            task.run();
          } finally {
            if (outer == null) {
              inside.remove();
            }
          }
        });
  }
}
