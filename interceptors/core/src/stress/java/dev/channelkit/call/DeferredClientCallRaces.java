package dev.channelkit.call;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Everything that may meet in a deferred call, on real threads. After each round the delegate's log
 * must be the script of the application, or a prefix of it with a cancel in it; no operation lost,
 * one end, no delegate left running behind an end.
 */
public final class DeferredClientCallRaces {
  private static final String WHOLE = "whole";
  private static final String NEVER_CREATED = "never created";
  private static final String NEVER_STARTED = "created, never started";
  private static final String CANCELLED = "cancelled after start";

  private DeferredClientCallRaces() {}

  // Two actors each: jcstress leaves out what needs more processors than there are.

  /** C2 script | proceed. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class ScriptDecision extends Round {
    @Actor
    public void actor1() {
      unary();
    }

    @Actor
    public void actor2() {
      go();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C2 long script | proceed, request. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class LongScriptDecision extends Round {
    public LongScriptDecision() {
      streaming = true;
      call.start(listener, headers);
    }

    @Actor
    public void actor1() {
      stream();
    }

    @Actor
    public void actor2() {
      go();
      one();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C3 script, proceed | cancel. */
  @JCStressTest
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(id = NEVER_STARTED, expect = ACCEPTABLE)
  @Outcome(id = CANCELLED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class ScriptCancel extends Round {
    @Actor
    public void actor1() {
      unary();
      go();
    }

    @Actor
    public void actor2() {
      cancel();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C3 script | proceed, cancel. */
  @JCStressTest
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(id = NEVER_STARTED, expect = ACCEPTABLE)
  @Outcome(id = CANCELLED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class CancelBehindDecision extends Round {
    @Actor
    public void actor1() {
      unary();
    }

    @Actor
    public void actor2() {
      go();
      cancel();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C3 started: proceed | cancel. */
  @JCStressTest
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(id = NEVER_STARTED, expect = ACCEPTABLE)
  @Outcome(id = CANCELLED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class DecisionCancel extends Round {
    public DecisionCancel() {
      unary();
    }

    @Actor
    public void actor1() {
      go();
    }

    @Actor
    public void actor2() {
      cancel();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C3 script that decides inside start | cancel. */
  @JCStressTest
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(id = NEVER_STARTED, expect = ACCEPTABLE)
  @Outcome(id = CANCELLED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class DecidingStartCancel extends Round {
    public DecidingStartCancel() {
      call.decideInStart = true;
    }

    @Actor
    public void actor1() {
      unary();
    }

    @Actor
    public void actor2() {
      cancel();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C6 script that decides inside start | Context cancel. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class DecidingStartContext extends Round {
    public DecidingStartContext() {
      call.decideInStart = true;
    }

    @Actor
    public void actor1() {
      unary();
    }

    @Actor
    public void actor2() {
      cancelContext();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C5 script, proceed | deadline. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class ScriptDeadline extends Round {
    @Actor
    public void actor1() {
      unary();
      go();
    }

    @Actor
    public void actor2() {
      deadline();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C5 started: proceed | deadline. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class DecisionDeadline extends Round {
    public DecisionDeadline() {
      unary();
    }

    @Actor
    public void actor1() {
      go();
    }

    @Actor
    public void actor2() {
      deadline();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C6 script, proceed | Context cancel. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class ScriptContext extends Round {
    @Actor
    public void actor1() {
      unary();
      go();
    }

    @Actor
    public void actor2() {
      cancelContext();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C6 started: proceed | Context cancel. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class DecisionContext extends Round {
    public DecisionContext() {
      unary();
    }

    @Actor
    public void actor1() {
      go();
    }

    @Actor
    public void actor2() {
      cancelContext();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C3 script, proceed | fail. */
  @JCStressTest
  @Outcome(id = WHOLE, expect = ACCEPTABLE)
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class DecisionFail extends Round {
    @Actor
    public void actor1() {
      unary();
      go();
    }

    @Actor
    public void actor2() {
      fail();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** C3 started: cancel, Context cancel | deadline. */
  @JCStressTest
  @Outcome(id = NEVER_CREATED, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN)
  @State
  public static class CancelDeadline extends Round {
    public CancelDeadline() {
      unary();
    }

    @Actor
    public void actor1() {
      cancel();
      cancelContext();
    }

    @Actor
    public void actor2() {
      deadline();
    }

    @Arbiter
    public void outcome(L_Result result) {
      result.r1 = outcome();
    }
  }

  /** One call and all that may be done to it. */
  public abstract static class Round {
    final Log log = new Log();
    final Delegate delegate = new Delegate(log);
    final Listener listener = new Listener(log);
    final Metadata headers = new Metadata();
    final OneTimer timer = new OneTimer();
    final Context.CancellableContext context = Context.ROOT.withCancellation();
    final Call call;
    boolean streaming;
    private volatile boolean ended;

    Round() {
      Context previous = context.attach();
      call =
          new Call(
              CallOptions.DEFAULT.withDeadline(Deadline.after(1, TimeUnit.SECONDS, STILL)),
              CallRuntime.of(Runnable::run, timer),
              delegate);
      context.detach(previous);
    }

    void unary() {
      call.start(listener, headers);
      call.request(2);
      call.sendMessage("1");
      call.halfClose();
    }

    void stream() {
      call.request(2);
      call.sendMessage("1");
      call.setMessageCompression(true);
      call.sendMessage("2");
      call.sendMessage("3");
      call.halfClose();
    }

    void one() {
      call.request(1);
    }

    void go() {
      call.go();
    }

    void fail() {
      if (call.stop()) {
        ended = true;
      }
    }

    void cancel() {
      ended = true;
      call.cancel("x", null);
    }

    void cancelContext() {
      context.cancel(null);
    }

    void deadline() {
      timer.fire();
    }

    /** What came of the call; a fault is told as what it is, and no outcome allows it. */
    final String outcome() {
      String sent = log.sent.toString();
      String story = sent + " demand " + log.demand + " closes " + log.closes;
      if (log.faults > 0) {
        return "broken order or second delegate: " + story;
      }
      if (log.closes > 1 || (ended && log.closes == 0)) {
        return "not one end: " + story;
      }
      if (log.closes == 0) {
        // Nobody ended it, so it has to be there whole.
        boolean whole =
            sent.equals(streaming ? "S1c23H" : "S1H") && log.demand == (streaming ? 3 : 2);
        return whole ? WHOLE : "lost or reordered: " + story;
      }
      if (!log.created) {
        return NEVER_CREATED;
      }
      if (sent.indexOf('X') < 0) {
        return "delegate left running: " + story;
      }
      if (sent.equals("X")) {
        return NEVER_STARTED;
      }
      // Behind a cancel of its own the delegate may get what was under way, never out of order.
      return "S1H".startsWith(sent.replace("X", "")) ? CANCELLED : "reordered: " + story;
    }
  }

  private static final Deadline.Ticker STILL =
      new Deadline.Ticker() {
        @Override
        public long nanoTime() {
          return 0;
        }
      };

  private static final class Log {
    final StringBuilder sent = new StringBuilder();
    int demand;
    int closes;
    int faults;
    boolean created;
    boolean startReturned;

    synchronized void add(char operation) {
      if (operation != 'S' && operation != 'X' && !startReturned) {
        faults++;
      }
      sent.append(operation);
    }

    synchronized void started() {
      startReturned = true;
    }

    synchronized void demand(int more) {
      if (!startReturned) {
        faults++;
      }
      demand += more;
    }

    synchronized void closed() {
      closes++;
    }

    synchronized void create() {
      if (created) {
        faults++;
      }
      created = true;
    }
  }

  private static final class Call extends DeferredClientCall<String, String> {
    private final Delegate delegate;
    boolean decideInStart;

    Call(CallOptions options, CallRuntime runtime, Delegate delegate) {
      super(options, runtime);
      this.delegate = delegate;
    }

    @Override
    protected void onStart(Metadata headers) {
      if (decideInStart) {
        go();
      }
    }

    void go() {
      proceed(
          () -> {
            delegate.log.create();
            return delegate;
          });
    }

    boolean stop() {
      return fail(Status.NOT_FOUND, new Metadata());
    }
  }

  private static final class Listener extends ClientCall.Listener<String> {
    private final Log log;

    Listener(Log log) {
      this.log = log;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      log.closed();
    }
  }

  private static final class Delegate extends ClientCall<String, String> {
    private final Log log;
    private ClientCall.Listener<String> listener;
    private boolean closed;

    Delegate(Log log) {
      this.log = log;
    }

    @Override
    public void start(ClientCall.Listener<String> to, Metadata headers) {
      log.add('S');
      synchronized (this) {
        listener = to;
      }
      log.started();
    }

    @Override
    public void request(int numMessages) {
      log.demand(numMessages);
    }

    @Override
    public void cancel(String message, Throwable cause) {
      log.add('X');
      ClientCall.Listener<String> to;
      synchronized (this) {
        to = closed ? null : listener;
        closed |= to != null;
      }
      if (to != null) {
        to.onClose(Status.CANCELLED, new Metadata());
      }
    }

    @Override
    public void halfClose() {
      log.add('H');
    }

    @Override
    public void sendMessage(String message) {
      log.add(message.charAt(0));
    }

    @Override
    public void setMessageCompression(boolean enabled) {
      log.add('c');
    }
  }

  /** Keeps the one timer of a call and fires it when told to. */
  private static final class OneTimer extends AbstractExecutorService
      implements ScheduledExecutorService {
    private Timer timer;

    void fire() {
      Timer due;
      synchronized (this) {
        due = timer;
      }
      if (due != null) {
        due.run();
      }
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      timer = new Timer(command);
      return timer;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable command, long initialDelay, long period, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable command, long initialDelay, long delay, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable command) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }

  private static final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
    Timer(Runnable command) {
      super(command, null);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return 0;
    }
  }
}
