package dev.channelkit.call;

import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** How a call of ours ends without a delegate: the words, and a delivery that is never lost. */
final class CallEnd {
  static final System.Logger LOG = System.getLogger("channelkit.call");

  private CallEnd() {}

  static Status cancelled(@Nullable String message, @Nullable Throwable cause) {
    String text =
        message != null
            ? message
            : cause != null
                ? "cancelled by the caller"
                : "cancelled by the caller without a reason";
    return Status.CANCELLED.withDescription(text).withCause(cause);
  }

  static Status rejected(Throwable rejection) {
    return Status.CANCELLED
        .withDescription(
            "the executor of this call rejected its callbacks: use one that is not shut down and"
                + " has room")
        .withCause(rejection);
  }

  /** What the call ends with when code of a delegate or of a hook threw. */
  static Status failed(String what, Throwable thrown) {
    Status status = Status.fromThrowable(thrown);
    if (status.isOk()) {
      status = Status.UNKNOWN.withCause(thrown);
    }
    return status.getDescription() == null ? status.withDescription(what + " failed") : status;
  }

  static Metadata trailersOf(Throwable thrown) {
    Metadata trailers = Status.trailersFromThrowable(thrown);
    return trailers == null ? new Metadata() : copy(trailers);
  }

  /** A listener owns the metadata it is given, so it never gets an instance that others hold. */
  static Metadata copy(Metadata metadata) {
    Metadata copy = new Metadata();
    copy.merge(metadata);
    return copy;
  }

  static Status requireFailure(Status status) {
    if (status.isOk()) {
      throw new IllegalArgumentException(
          "status must be a failure but is OK; answer with LocalClientCall.answering instead");
    }
    return status;
  }

  /** Closes a listener on the first executor that takes it, else on this very thread. */
  static <R> void deliver(
      ClientCall.Listener<R> listener,
      Status status,
      Metadata trailers,
      Context context,
      Executor executor,
      Executor fallback) {
    execute(executor, fallback, new Once(() -> close(listener, status, trailers, context)), true);
  }

  static <R> void close(
      ClientCall.Listener<R> listener, Status status, Metadata trailers, Context context) {
    Context previous = context.attach();
    try {
      listener.onClose(status, trailers);
    } catch (Throwable thrown) {
      // The call is over and nobody is left to tell; whoever runs us must not suffer for it.
      LOG.log(Level.WARNING, "onClose of a call's listener threw", thrown);
    } finally {
      context.detach(previous);
    }
  }

  private static void execute(Executor executor, Executor fallback, Once task, boolean again) {
    try {
      executor.execute(task);
    } catch (Throwable rejection) {
      if (again && fallback != executor) {
        execute(fallback, fallback, task, false);
      } else {
        task.run();
      }
    }
  }

  /** An executor may run a task and throw all the same; the fallback must not run it again. */
  private static final class Once extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1;
    private final transient Runnable task;

    Once(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (compareAndSet(false, true)) {
        task.run();
      }
    }
  }
}
