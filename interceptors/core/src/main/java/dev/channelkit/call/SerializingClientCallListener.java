package dev.channelkit.call;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers to an application's listener one callback at a time, never more messages than were
 * requested, and one {@code onClose}, whatever the executor and whichever threads call in.
 *
 * <p><b>In.</b> The callbacks of this listener and its other methods may be called from any thread
 * at any time; messages keep the order in which they came in. They queue and return.
 *
 * <p><b>Out.</b> Callbacks run on {@link CallRuntime#executorFor}, which may be a raw pool, in the
 * given Context, with no lock held. Headers come first; {@code onReady} overtakes messages that
 * wait for demand; {@link #onClose} comes behind all messages, so it waits for demand too, with any
 * status. {@link #closeNow} drops what waits.
 *
 * <p><b>What throws.</b> An exception or an {@code Error} from {@code onHeaders}, {@code onMessage}
 * or {@code onReady} cancels upstream, drops what waits and ends in {@code onClose(CANCELLED)} with
 * it as the cause. It is not rethrown: the threads of an executor have nobody to tell. From {@code
 * onClose} it is logged.
 *
 * <p><b>An executor that rejects</b> is treated as a cancel: what waits is dropped, upstream is
 * cancelled and {@code onClose(CANCELLED)} is delivered on the runtime's executor or, when that
 * rejects too, on the calling thread. A failure that waits for nothing else keeps its status.
 *
 * @param <RespT> response messages
 * @since 0.1
 */
public final class SerializingClientCallListener<RespT> extends ClientCall.Listener<RespT> {
  // A queue takes no null, but a marshaller may give one.
  private static final Object NULL = new Object();

  private enum Run {
    IDLE,
    SCHEDULED,
    RUNNING
  }

  private enum Kind {
    NOTHING,
    HEADERS,
    READY,
    MESSAGE,
    CLOSE
  }

  private final ClientCall.Listener<RespT> listener;
  private final Executor executor;
  private final Executor fallback;
  private final Context context;
  private final BiConsumer<String, @Nullable Throwable> cancelUpstream;
  private final Object lock = new Object();

  // All below guarded by lock.
  private Run run = Run.IDLE;
  private final ArrayDeque<Object> messages = new ArrayDeque<>(1);
  private long demand;
  private @Nullable Metadata headers;
  private boolean ready;
  private @Nullable Status status;
  private @Nullable Metadata trailers;
  private boolean closed;

  /**
   * A listener to hand to whatever produces the callbacks.
   *
   * @param listener of the application; not null
   * @param options of the call, for its executor; not null
   * @param runtime for the executor when the options name none or theirs rejects; not null
   * @param context attached around every callback; not null
   * @param cancelUpstream stops the source after a callback threw or the executor rejected; called
   *     at most once, with no lock held, on the thread that met the failure; not null; what it
   *     throws is logged
   */
  public SerializingClientCallListener(
      ClientCall.Listener<RespT> listener,
      CallOptions options,
      CallRuntime runtime,
      Context context,
      BiConsumer<String, @Nullable Throwable> cancelUpstream) {
    this.listener = Objects.requireNonNull(listener, "listener");
    this.executor = runtime.executorFor(options);
    this.fallback = runtime.executor();
    this.context = Objects.requireNonNull(context, "context");
    this.cancelUpstream = Objects.requireNonNull(cancelUpstream, "cancelUpstream");
  }

  /**
   * Allows more messages to be delivered. The sum saturates.
   *
   * @param numMessages 0 or more
   * @throws IllegalArgumentException if negative
   */
  public void request(int numMessages) {
    if (numMessages < 0) {
      throw new IllegalArgumentException("numMessages must be 0 or more but is " + numMessages);
    }
    synchronized (lock) {
      long sum = demand + numMessages;
      demand = sum < 0 ? Long.MAX_VALUE : sum;
    }
    schedule();
  }

  @Override
  public void onHeaders(Metadata headers) {
    Objects.requireNonNull(headers, "headers");
    synchronized (lock) {
      if (ending()) {
        return;
      }
      this.headers = headers;
    }
    schedule();
  }

  @Override
  public void onMessage(RespT message) {
    synchronized (lock) {
      if (ending()) {
        return;
      }
      messages.add(message == null ? NULL : message);
    }
    schedule();
  }

  @Override
  public void onReady() {
    synchronized (lock) {
      if (ending()) {
        return;
      }
      ready = true;
    }
    schedule();
  }

  /**
   * Closes behind all messages that came before. Later calls are no-ops, except for {@link
   * #closeNow}.
   *
   * @param status not null
   * @param trailers handed on as they are; not null
   */
  @Override
  public void onClose(Status status, Metadata trailers) {
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(trailers, "trailers");
    synchronized (lock) {
      if (ending()) {
        return;
      }
      this.status = status;
      this.trailers = trailers;
    }
    schedule();
  }

  /**
   * Drops what was not delivered yet and closes, also in place of an {@link #onClose} that has not
   * been delivered. A callback that runs at this moment runs to its end first.
   *
   * @param status not null
   * @param trailers handed on as they are; not null
   * @return false when the call was closed or being closed this way before
   */
  public boolean closeNow(Status status, Metadata trailers) {
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(trailers, "trailers");
    synchronized (lock) {
      if (closed) {
        return false;
      }
      replaceEnd(status, trailers);
    }
    schedule();
    return true;
  }

  /**
   * How many messages wait for demand or for the executor.
   *
   * @return 0 or more
   */
  public int waiting() {
    synchronized (lock) {
      return messages.size();
    }
  }

  private boolean ending() {
    return closed || status != null;
  }

  /** After this, the given end is the only thing left to deliver and cannot be replaced. */
  private void replaceEnd(Status newStatus, Metadata newTrailers) {
    messages.clear();
    headers = null;
    ready = false;
    status = newStatus;
    trailers = newTrailers;
    closed = true;
  }

  private Kind next() {
    if (headers != null) {
      return Kind.HEADERS;
    }
    if (ready) {
      return Kind.READY;
    }
    if (!messages.isEmpty()) {
      return demand > 0 ? Kind.MESSAGE : Kind.NOTHING;
    }
    return status == null ? Kind.NOTHING : Kind.CLOSE;
  }

  private void schedule() {
    synchronized (lock) {
      if (run != Run.IDLE || next() == Kind.NOTHING) {
        return;
      }
      run = Run.SCHEDULED;
    }
    try {
      executor.execute(this::drain);
    } catch (Throwable rejection) {
      rejected(rejection);
    }
  }

  private void rejected(Throwable rejection) {
    boolean lost;
    Status cancelled = CallEnd.rejected(rejection);
    synchronized (lock) {
      // An executor that ran the task and threw all the same has rejected nothing.
      if (run != Run.SCHEDULED) {
        return;
      }
      lost = next() != Kind.CLOSE || (status != null && status.isOk());
      if (lost) {
        replaceEnd(cancelled, new Metadata());
      }
    }
    if (lost) {
      cancelUpstream(cancelled);
    }
    try {
      fallback.execute(this::drain);
    } catch (Throwable again) {
      drain();
    }
  }

  /** Only the thread that turned SCHEDULED into RUNNING delivers, hence one callback at a time. */
  private void drain() {
    synchronized (lock) {
      if (run != Run.SCHEDULED) {
        return;
      }
      run = Run.RUNNING;
    }
    Context previous = context.attach();
    try {
      while (deliverNext()) {
        // Until nothing may be delivered; a callback that requests more is served by this loop,
        // not by recursion.
      }
    } finally {
      context.detach(previous);
    }
  }

  // Only messages of type RespT and NULL are ever queued.
  @SuppressWarnings({"unchecked", "NullAway"})
  private boolean deliverNext() {
    Kind kind;
    Metadata metadata = null;
    Object message = null;
    Status end;
    synchronized (lock) {
      kind = next();
      end = status;
      switch (kind) {
        case NOTHING -> run = Run.IDLE;
        case HEADERS -> {
          metadata = headers;
          headers = null;
        }
        case READY -> ready = false;
        case MESSAGE -> {
          message = messages.poll();
          demand--;
        }
        case CLOSE -> {
          metadata = trailers;
          closed = true;
        }
      }
    }
    // RUNNING for good after the close: nothing is delivered behind it.
    try {
      switch (kind) {
        case NOTHING -> {}
        case HEADERS -> listener.onHeaders(Objects.requireNonNull(metadata));
        case READY -> listener.onReady();
        case MESSAGE -> listener.onMessage(message == NULL ? null : (RespT) message);
        case CLOSE ->
            CallEnd.close(
                listener, Objects.requireNonNull(end), Objects.requireNonNull(metadata), context);
      }
    } catch (Throwable thrown) {
      threw(thrown);
    }
    return kind != Kind.NOTHING && kind != Kind.CLOSE;
  }

  private void threw(Throwable thrown) {
    Status cancelled =
        Status.CANCELLED
            .withDescription("a callback of the application's listener threw")
            .withCause(thrown);
    synchronized (lock) {
      // Whoever closed while the callback ran was first.
      if (closed) {
        return;
      }
      replaceEnd(cancelled, new Metadata());
    }
    cancelUpstream(cancelled);
  }

  private void cancelUpstream(Status cancelled) {
    try {
      cancelUpstream.accept(
          Objects.requireNonNull(cancelled.getDescription()), cancelled.getCause());
    } catch (Throwable thrown) {
      CallEnd.LOG.log(Level.WARNING, "cancelling the source of a call threw", thrown);
    }
  }
}
