package dev.channelkit.call;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call whose delegate is decided later: it keeps what the application does until a subclass says
 * {@link #proceed proceed} or {@link #fail fail}, then hands it over in order or closes.
 *
 * <p><b>Deciding.</b> The subclass decides from any thread, inside a hook or long after. One
 * transition settles the race between proceed, fail, cancel, the deadline and the Context; whatever
 * comes later is a no-op, and the delegate of a proceed that lost is never asked for. The delegate
 * of a proceed that came while a hook ran is asked for when the hook has returned; a fail is
 * delivered at once. A subclass that never decides keeps the call waiting until its deadline, its
 * Context or its caller ends it.
 *
 * <p><b>Order.</b> The delegate sees start, then messages, compression settings and half-close in
 * the order of the application. Demand is counted together and may come ahead of messages that were
 * sent before it. After the hand-over an operation costs one volatile read.
 *
 * <p><b>Memory.</b> What waits for the decision is kept without a bound, as gRPC itself keeps what
 * is sent before its connection is there. {@link #isReady} is false for so long: a client that
 * streams and heeds it sends nothing yet.
 *
 * <p><b>Waiting.</b> A call that is still undecided when {@code start} has run its hook is bounded
 * by the earlier of the deadlines of its options and its Context, and ends with that Context. Both
 * are left to the delegate once it exists; a decision taken inside {@code start} sets up neither.
 *
 * <p><b>Ending here.</b> A close of our own is delivered once, in the Context that was current when
 * the call was made, on {@link CallRuntime#executorFor}; when that executor rejects, on the
 * runtime's executor, and when that rejects too, on the thread that ended the call. What the
 * listener throws from it is logged. Afterwards every operation is a no-op, {@link #isReady} is
 * false and {@link #getAttributes} is empty.
 *
 * <p><b>Threads.</b> As for any {@code ClientCall}, the application uses one thread at a time,
 * except that {@code request} and {@code cancel} may come from any thread at any time. No hook,
 * delegate or listener is called under a lock.
 *
 * <p><b>Differs from gRPC's own call</b> in one point: after a {@code cancel} before {@code start},
 * {@code start} does not throw but delivers {@code onClose(CANCELLED)}.
 *
 * <p>Subclasses that override an operation must call {@code super}.
 *
 * @param <ReqT> request messages
 * @param <RespT> response messages
 * @since 0.1
 */
public abstract class DeferredClientCall<ReqT, RespT> extends ClientCall<ReqT, RespT> {
  private enum Phase {
    UNDECIDED,
    PROCEEDING,
    /** Ended here; the delegate, should there be one, was cancelled. */
    CLOSED
  }

  private final CallOptions options;
  private final CallRuntime runtime;
  private final Context context = Context.current();
  private final Object lock = new Object();

  /** Where operations go without a look at anything else; null while they are kept. */
  private volatile @Nullable ClientCall<ReqT, RespT> passThrough;

  /** The delegate from just before it is started. */
  private volatile @Nullable ClientCall<ReqT, RespT> delegate;

  // All below guarded by lock. The script of a unary call fits in fields; a queue is made beyond.
  private Phase phase = Phase.UNDECIDED;
  private boolean started;
  private boolean inHook;
  private boolean handingOver;
  private boolean sawMessage;
  private boolean halfClosed;
  private boolean halfCloseKept;
  private int demand;
  private @Nullable ReqT message;

  /** Messages and {@link Compression} that came after {@link #message}. */
  private @Nullable ArrayDeque<Object> later;

  private @Nullable Listener<RespT> listener;
  private @Nullable Metadata headers;
  private @Nullable Supplier<? extends ClientCall<ReqT, RespT>> supplier;
  private @Nullable CallWatch watch;

  /** Why the call ended before start, or the cancel that came during the hand-over. */
  private @Nullable Status end;

  private @Nullable Metadata endTrailers;

  /**
   * A call that waits for a decision. Captures {@link Context#current()}.
   *
   * @param options of the call: deadline and executor are used; not null
   * @param runtime executor and scheduler for what the options leave open; not null
   */
  protected DeferredClientCall(CallOptions options, CallRuntime runtime) {
    this.options = Objects.requireNonNull(options, "options");
    this.runtime = Objects.requireNonNull(runtime, "runtime");
  }

  /**
   * The call was started and is undecided. Runs inside {@code start}, on the caller's thread, with
   * no lock held; must not block. What it throws, an {@code Error} too, ends the call with that
   * status ({@link Status#fromThrowable}); a delegate decided on before the throw is not created.
   *
   * @param headers of the request, to read or to add to until this method returns; never null
   */
  protected void onStart(Metadata headers) {}

  /**
   * The first message was sent and the call is undecided. Runs inside {@code sendMessage}, on the
   * caller's thread, with no lock held, before the message is kept; must not block. Not called when
   * the call was decided before. Throwing is as for {@link #onStart}.
   *
   * @param message the first message; never null
   */
  protected void onFirstMessage(ReqT message) {}

  /**
   * The call ended before its delegate was asked for, by its caller, its deadline, its Context or a
   * hook that threw, not by {@link #fail}. For subclasses that have something to give back. Called
   * once, on the thread that ended the call, with no lock held; must not block; what it throws is
   * logged.
   *
   * @param status what the call ends with; never null
   */
  protected void onAbandoned(Status status) {}

  /**
   * What an undecided call waits for, as a noun for the text of its status: "an access token".
   *
   * @return never null; default "a decision"
   */
  protected String waitingFor() {
    return "a decision";
  }

  /**
   * Decides to go on with a delegate. From any thread, before or after {@code start}. The delegate
   * is created and started, and gets what was kept, under the captured Context, on this thread or,
   * when the call is not started or in a hook, on the caller's. When creating or starting it
   * throws, the call ends with {@link Status#fromThrowable}; a throw from a start that runs inside
   * the start of this call goes to its caller, as from a plain forwarder.
   *
   * @param delegate makes an unstarted call; called at most once and only if this decision counts;
   *     not null and must not give null
   * @return whether this decision was the first; false also after the call has ended
   */
  protected final boolean proceed(Supplier<? extends ClientCall<ReqT, RespT>> delegate) {
    Objects.requireNonNull(delegate, "delegate");
    CallWatch stop;
    boolean now;
    synchronized (lock) {
      if (phase != Phase.UNDECIDED) {
        return false;
      }
      phase = Phase.PROCEEDING;
      supplier = delegate;
      stop = watch;
      watch = null;
      now = claimHandOver();
    }
    if (stop != null) {
      stop.stop();
    }
    if (now) {
      handOver(false);
    }
    return true;
  }

  /**
   * Decides to end the call without a delegate. From any thread, before or after {@code start}; the
   * close is delivered when the call is started.
   *
   * @param status a failure; not null
   * @param trailers copied, never handed on; not null
   * @return whether this decision was the first; false also after the call has ended
   * @throws IllegalArgumentException if the status is OK
   */
  protected final boolean fail(Status status, Metadata trailers) {
    CallEnd.requireFailure(status);
    return endHere(status, CallEnd.copy(trailers), true, false);
  }

  @Override
  public void start(Listener<RespT> listener, Metadata headers) {
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(headers, "headers");
    Status ended = null;
    Metadata trailers = null;
    boolean hook;
    synchronized (lock) {
      if (started) {
        throw new IllegalStateException("Already started");
      }
      started = true;
      if (phase == Phase.CLOSED) {
        ended = end;
        trailers = endTrailers;
        passThrough = NoopCall.get();
      } else {
        this.listener = listener;
        this.headers = headers;
      }
      hook = phase == Phase.UNDECIDED;
      inHook = hook;
    }
    if (ended != null && trailers != null) {
      deliver(listener, ended, trailers);
      return;
    }
    if (hook) {
      runHook(headers, null);
    }
    boolean now;
    CallWatch arm = null;
    synchronized (lock) {
      inHook = false;
      now = claimHandOver();
      if (phase == Phase.UNDECIDED) {
        arm = CallWatch.of(context, options, runtime, this::waitingFor, this::endUndecided);
        watch = arm;
      }
    }
    if (now) {
      handOver(true);
    } else if (arm != null) {
      arm.arm();
    }
  }

  @Override
  public void request(int numMessages) {
    ClientCall<ReqT, RespT> direct = passThrough;
    if (direct == null) {
      if (numMessages < 0) {
        throw new IllegalArgumentException("numMessages must be 0 or more but is " + numMessages);
      }
      synchronized (lock) {
        requireStarted();
        direct = passThrough;
        if (direct == null) {
          int sum = demand + numMessages;
          demand = sum < 0 ? Integer.MAX_VALUE : sum;
          return;
        }
      }
    }
    direct.request(numMessages);
  }

  @Override
  public void sendMessage(ReqT message) {
    ClientCall<ReqT, RespT> direct = passThrough;
    if (direct == null) {
      Objects.requireNonNull(message, "message");
      boolean hook = false;
      synchronized (lock) {
        requireStarted();
        requireOpen();
        direct = passThrough;
        if (direct == null) {
          hook = !sawMessage && phase == Phase.UNDECIDED;
          sawMessage = true;
          if (hook) {
            inHook = true;
          } else {
            keep(message);
          }
        }
      }
      if (hook) {
        sendFirst(message);
      }
    }
    if (direct != null) {
      direct.sendMessage(message);
    }
  }

  private void sendFirst(ReqT first) {
    runHook(null, first);
    boolean now;
    synchronized (lock) {
      inHook = false;
      // Nobody hands over during a hook, so a call that is pass-through here has ended.
      if (passThrough == null) {
        keep(first);
      }
      now = claimHandOver();
    }
    if (now) {
      handOver(false);
    }
  }

  @Override
  public void halfClose() {
    ClientCall<ReqT, RespT> direct = passThrough;
    if (direct == null) {
      synchronized (lock) {
        requireStarted();
        requireOpen();
        direct = passThrough;
        if (direct == null) {
          halfClosed = true;
          halfCloseKept = true;
          return;
        }
      }
    }
    direct.halfClose();
  }

  @Override
  public void setMessageCompression(boolean enabled) {
    ClientCall<ReqT, RespT> direct = passThrough;
    if (direct == null) {
      synchronized (lock) {
        requireStarted();
        direct = passThrough;
        if (direct == null) {
          keepLater(enabled ? Compression.ON : Compression.OFF);
          return;
        }
      }
    }
    direct.setMessageCompression(enabled);
  }

  /**
   * {@inheritDoc}
   *
   * <p>From any thread, before {@code start} too; only the first cancel counts. Both arguments may
   * be null.
   */
  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    ClientCall<ReqT, RespT> direct = passThrough;
    if (direct == null
        && !endHere(CallEnd.cancelled(message, cause), new Metadata(), false, true)) {
      // Handed over in between, or ended already.
      direct = passThrough;
    }
    if (direct != null) {
      direct.cancel(message, cause);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>False until the delegate is started.
   */
  @Override
  public boolean isReady() {
    ClientCall<ReqT, RespT> direct = passThrough;
    if (direct != null) {
      return direct.isReady();
    }
    ClientCall<ReqT, RespT> starting = delegate;
    if (starting == null) {
      return false;
    }
    // An onReady of the delegate may reach the application before the hand-over ends; a "no" there
    // would be its last word, because onReady comes once per change.
    try {
      return starting.isReady();
    } catch (RuntimeException notStarted) {
      return false;
    }
  }

  @Override
  public Attributes getAttributes() {
    ClientCall<ReqT, RespT> direct = passThrough;
    return direct == null ? Attributes.EMPTY : direct.getAttributes();
  }

  @Override
  public String toString() {
    synchronized (lock) {
      return getClass().getSimpleName() + "{" + phase + (started ? ", started}" : ", not started}");
    }
  }

  private void requireStarted() {
    if (!started) {
      throw new IllegalStateException("Not started");
    }
  }

  private void requireOpen() {
    if (halfClosed && phase != Phase.CLOSED) {
      throw new IllegalStateException("Already half-closed");
    }
  }

  private void keep(ReqT sent) {
    if (message == null && later == null) {
      message = sent;
    } else {
      keepLater(sent);
    }
  }

  private void keepLater(Object operation) {
    if (later == null) {
      later = new ArrayDeque<>(4);
    }
    later.add(operation);
  }

  private boolean claimHandOver() {
    boolean now = phase == Phase.PROCEEDING && started && !inHook && !handingOver;
    handingOver |= now;
    return now;
  }

  private void runHook(@Nullable Metadata atStart, @Nullable ReqT first) {
    try {
      if (atStart != null) {
        onStart(atStart);
      }
      if (first != null) {
        onFirstMessage(first);
      }
    } catch (Throwable thrown) {
      endHere(
          CallEnd.failed("a hook of " + getClass().getSimpleName(), thrown),
          CallEnd.trailersOf(thrown),
          false,
          true);
    }
  }

  private void endUndecided(Status status) {
    endHere(status, new Metadata(), true, true);
  }

  private boolean endHere(
      Status status, Metadata trailers, boolean onlyUndecided, boolean abandoned) {
    CallWatch stop;
    Listener<RespT> close;
    synchronized (lock) {
      if (phase == Phase.CLOSED
          || passThrough != null
          || (onlyUndecided && phase != Phase.UNDECIDED)) {
        return false;
      }
      if (handingOver) {
        // Left to the thread that hands over: the delegate may be in the middle of its start, where
        // it cannot be cancelled safely. In one step with the look at the state, or it is lost.
        if (end == null) {
          end = status;
        }
        return true;
      }
      stop = watch;
      watch = null;
      close = closeUnderLock();
      if (close == null) {
        end = status;
        endTrailers = trailers;
      }
    }
    if (stop != null) {
      stop.stop();
    }
    if (close != null) {
      deliver(close, status, trailers);
    }
    if (abandoned) {
      try {
        onAbandoned(status);
      } catch (Throwable thrown) {
        CallEnd.LOG.log(Level.WARNING, "onAbandoned threw", thrown);
      }
    }
    return true;
  }

  /** Returns the listener to close, null before start. */
  private @Nullable Listener<RespT> closeUnderLock() {
    phase = Phase.CLOSED;
    delegate = null;
    Listener<RespT> close = listener;
    if (started) {
      passThrough = NoopCall.get();
    }
    forget();
    return close;
  }

  private void forget() {
    listener = null;
    headers = null;
    message = null;
    later = null;
    supplier = null;
  }

  private void deliver(Listener<RespT> close, Status status, Metadata trailers) {
    CallEnd.deliver(
        close, status, trailers, context, runtime.executorFor(options), runtime.executor());
  }

  /** Runs once, in the thread that claimed it; only this thread makes the call pass-through. */
  private void handOver(boolean insideStart) {
    Context previous = context.attach();
    try {
      ClientCall<ReqT, RespT> created = create();
      if (created != null && startDelegate(created, insideStart)) {
        drain(created);
      }
    } finally {
      context.detach(previous);
    }
  }

  private @Nullable ClientCall<ReqT, RespT> create() {
    Supplier<? extends ClientCall<ReqT, RespT>> source;
    synchronized (lock) {
      source = Objects.requireNonNull(supplier);
    }
    ClientCall<ReqT, RespT> created = null;
    Status failed = null;
    Metadata trailers = new Metadata();
    try {
      created = Objects.requireNonNull(source.get(), "the supplier of the delegate gave null");
    } catch (Throwable thrown) {
      failed = CallEnd.failed("creating the delegate", thrown);
      trailers = CallEnd.trailersOf(thrown);
    }
    Listener<RespT> close;
    synchronized (lock) {
      if (end != null) {
        failed = end;
        trailers = new Metadata();
      }
      if (failed == null) {
        delegate = created;
        return created;
      }
      close = closeUnderLock();
    }
    if (created != null) {
      cancelQuietly(created, failed);
    }
    deliver(Objects.requireNonNull(close), failed, trailers);
    return null;
  }

  /**
   * Inside start the application's listener goes straight to the delegate: nothing was kept, no
   * callback of ours can be in the way, and a throw reaches the caller as if we were not there. On
   * any other path nobody is there to catch, so a wrapper settles who closes.
   */
  private boolean startDelegate(ClientCall<ReqT, RespT> created, boolean insideStart) {
    Listener<RespT> target;
    Metadata sent;
    synchronized (lock) {
      target = Objects.requireNonNull(listener);
      sent = Objects.requireNonNull(headers);
    }
    if (insideStart) {
      boolean returned = false;
      try {
        created.start(target, sent);
        returned = true;
      } finally {
        if (!returned) {
          abandonDelegate(created, CallEnd.cancelled("start of the delegate threw", null));
        }
      }
      return true;
    }
    HandedOverListener<RespT> wrapped = new HandedOverListener<>(target);
    try {
      created.start(wrapped, sent);
      return true;
    } catch (Throwable thrown) {
      boolean ours = wrapped.detach();
      abandonDelegate(created, CallEnd.cancelled("start of the delegate threw", thrown));
      if (ours) {
        deliver(
            target, CallEnd.failed("starting the delegate", thrown), CallEnd.trailersOf(thrown));
      }
      return false;
    }
  }

  private void abandonDelegate(ClientCall<ReqT, RespT> created, Status reason) {
    synchronized (lock) {
      closeUnderLock();
    }
    cancelQuietly(created, reason);
  }

  /**
   * Takes what was kept, applies it with no lock held, and looks again: whatever arrived meanwhile
   * waits behind it. Only with nothing left, seen under the lock, do operations go around the lock,
   * so none overtakes and none is lost.
   */
  private void drain(ClientCall<ReqT, RespT> target) {
    while (true) {
      int requested;
      Object next;
      boolean close;
      Status cancelled;
      synchronized (lock) {
        cancelled = end;
        requested = demand;
        demand = 0;
        next = takeNext();
        close = halfCloseKept && message == null && (later == null || later.isEmpty());
        halfCloseKept &= !close;
        if (cancelled != null) {
          closeUnderLock();
        } else if (requested == 0 && next == null && !close) {
          passThrough = target;
          forget();
          return;
        }
      }
      if (cancelled != null) {
        cancelQuietly(target, cancelled);
        return;
      }
      try {
        apply(target, requested, next, close);
      } catch (Throwable thrown) {
        // The application has moved on and cannot be thrown at; the delegate closes the call.
        abandonDelegate(target, CallEnd.cancelled("handing over to the delegate failed", thrown));
        return;
      }
    }
  }

  private @Nullable Object takeNext() {
    Object next = message;
    message = null;
    return next == null && later != null ? later.poll() : next;
  }

  // Every element of the queue that is not a Compression came in as a ReqT.
  @SuppressWarnings("unchecked")
  private void apply(
      ClientCall<ReqT, RespT> target, int requested, @Nullable Object next, boolean close) {
    if (requested > 0) {
      target.request(requested);
    }
    if (next instanceof Compression compression) {
      target.setMessageCompression(compression == Compression.ON);
    } else if (next != null) {
      target.sendMessage((ReqT) next);
    }
    if (close) {
      target.halfClose();
    }
  }

  private static void cancelQuietly(ClientCall<?, ?> call, Status reason) {
    try {
      call.cancel(reason.getDescription(), reason.getCause());
    } catch (Throwable thrown) {
      CallEnd.LOG.log(Level.WARNING, "cancelling a delegate threw", thrown);
    }
  }

  private enum Compression {
    ON,
    OFF
  }
}
