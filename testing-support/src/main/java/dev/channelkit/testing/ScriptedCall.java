package dev.channelkit.testing;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.Iterator;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs one script on one call. */
final class ScriptedCall extends ServerCall.Listener<byte[]> {
  private final ServerCall<byte[], byte[]> call;
  private final RecordedCall record;
  private final Script script;
  private final Iterator<Script.Step> steps;
  private final ScheduledExecutorService scheduler;
  private final Consumer<Boolean> onEnd;

  // A ServerCall is not thread-safe and releases, timers and callbacks come from any thread:
  // whoever
  // raises this from zero works until it is zero again, the others only raise it.
  private final AtomicInteger work = new AtomicInteger();

  private volatile boolean begun;
  private volatile boolean waiting;
  private volatile boolean over;

  // Touched by the worker alone.
  private Script.@Nullable Step next;
  private boolean headersSent;
  private volatile @Nullable Future<?> timer;

  ScriptedCall(
      ServerCall<byte[], byte[]> call,
      RecordedCall record,
      Script script,
      ScheduledExecutorService scheduler,
      Consumer<Boolean> onEnd) {
    this.call = call;
    this.record = record;
    this.script = script;
    this.steps = script.steps().iterator();
    this.scheduler = scheduler;
    this.onEnd = onEnd;
  }

  void begin() {
    call.request(1);
    if (script.trigger() == Script.Trigger.START) {
      begun = true;
      drain();
    }
  }

  @Override
  public void onMessage(byte[] message) {
    record.addMessage(message);
    call.request(1);
    if (script.trigger() == Script.Trigger.FIRST_MESSAGE) {
      begun = true;
      drain();
    }
  }

  @Override
  public void onHalfClose() {
    record.markHalfClosed();
    begun = true;
    drain();
  }

  @Override
  public void onReady() {
    drain();
  }

  @Override
  public void onCancel() {
    end(true);
  }

  @Override
  public void onComplete() {
    end(false);
  }

  private void end(boolean byCancel) {
    over = true;
    Future<?> pending = timer;
    if (pending != null) {
      pending.cancel(false);
    }
    onEnd.accept(byCancel);
  }

  private void resume() {
    waiting = false;
    drain();
  }

  private void drain() {
    if (work.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      while (!over && begun && !waiting && step()) {
        // Each turn is one step.
      }
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  /** Does the next step; false if it has to wait or there is none. */
  private boolean step() {
    Script.Step step = next;
    if (step == null) {
      if (!steps.hasNext()) {
        return false;
      }
      step = steps.next();
      next = step;
    }
    if (step instanceof Script.Message message) {
      if (!sendHeaders(new Metadata()) || !call.isReady()) {
        // onReady comes when the client wants more.
        return false;
      }
      if (!attempt(() -> call.sendMessage(message.bytes()))) {
        return false;
      }
      record.markSent();
    } else if (step instanceof Script.Headers headers) {
      if (!sendHeaders(headers.headers())) {
        return false;
      }
    } else if (step instanceof Script.Close close) {
      record.markAnswered(close.status());
      over = true;
      attempt(() -> call.close(close.status(), Script.copy(close.trailers())));
    } else if (step instanceof Script.Hold hold) {
      next = null;
      waiting = true;
      // May run at once, on this thread: drain only notes it, and the loop goes on.
      hold.gate().whenComplete((value, error) -> resume());
      return true;
    } else if (step instanceof Script.Delay delay) {
      next = null;
      waiting = true;
      return startTimer(delay);
    }
    next = null;
    return true;
  }

  private boolean startTimer(Script.Delay delay) {
    try {
      Future<?> started =
          scheduler.schedule(this::resume, delay.delay().toNanos(), TimeUnit.NANOSECONDS);
      timer = started;
      if (over) {
        started.cancel(false);
      }
      return true;
    } catch (RejectedExecutionException e) {
      over = true;
      attempt(
          () ->
              call.close(
                  Status.UNAVAILABLE.withDescription("the scheduler of the scripted server ended"),
                  new Metadata()));
      return false;
    }
  }

  private boolean sendHeaders(Metadata headers) {
    if (headersSent) {
      return true;
    }
    headersSent = true;
    return attempt(() -> call.sendHeaders(Script.copy(headers)));
  }

  /** A call that the client cancelled in this moment throws; its onCancel follows. */
  private boolean attempt(Runnable action) {
    try {
      action.run();
      return true;
    } catch (IllegalStateException e) {
      if (call.isCancelled()) {
        return false;
      }
      throw e;
    }
  }
}
