package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs one cell: makes its call on a thread of its own, in a Context of its own, and watches that
 * it ends in time. When it does not, the stack of whoever waits goes into the journal.
 */
final class CellRun implements AutoCloseable {
  static final String CANCELLED = "cancelled by the conformance suite";
  private static final Duration SHORT = Duration.ofMillis(10);

  private final Cell cell;
  private final Driver driver;
  private final Rule rule;
  private final Duration patience;
  private final World world;
  private final Disturbance disturbance;
  private volatile Context.@Nullable CancellableContext context;
  private volatile @Nullable Thread caller;
  private volatile String waitingFor = "the stub to return";
  private volatile boolean hung;

  /** A cell of the matrix. */
  static CellRun of(Cell cell, @Nullable ClientInterceptor interceptor, Subject subject) {
    return new CellRun(cell, Driver.of(cell.stub()), cell.ending().rule(), interceptor, subject);
  }

  /**
   * A call, or several, in the surroundings of a cell.
   *
   * @param rule to name when a call hangs or stays open
   */
  CellRun(
      Cell cell,
      Driver driver,
      Rule rule,
      @Nullable ClientInterceptor interceptor,
      Subject subject) {
    this.cell = cell;
    this.driver = driver;
    this.rule = rule;
    this.patience = subject.patience();
    world = new World(cell, interceptor, subject);
    disturbance = new Disturbance(cell, world, patience, this::cancelContext);
  }

  Cell cell() {
    return cell;
  }

  Channel channel() {
    return world.channel;
  }

  Journal journal() {
    return world.journal;
  }

  World world() {
    return world;
  }

  Disturbance disturbance() {
    return disturbance;
  }

  Duration patience() {
    return patience;
  }

  boolean hung() {
    return hung;
  }

  /** Options of the call; a short deadline starts to run here. */
  CallOptions options() {
    return cell.ending() == Ending.DEADLINE
        ? world.options.withDeadline(Deadline.after(SHORT.toMillis(), TimeUnit.MILLISECONDS))
        : world.options;
  }

  /** Makes the call, waits for its end, and says what was seen. */
  Outcome execute() {
    world.open();
    Future<String> call = SuiteThreads.CALLERS.submit(this::drive);
    String seen = "nothing";
    try {
      seen = call.get(patience.plusMillis(500).toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      hang("still waits for " + waitingFor + ": " + SuiteThreads.stackOf(caller));
      rescue();
    } catch (ExecutionException e) {
      world.journal.broke(Rule.H, "the caller's thread ended in " + e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a cell ran", e);
    }
    return world.outcome(seen);
  }

  private String drive() throws Exception {
    caller = Thread.currentThread();
    Context marked = Context.current().withValue(CallRecord.MARK, "present");
    Context.CancellableContext own =
        cell.ending() == Ending.DEADLINE_OF_CONTEXT
            ? marked.withDeadlineAfter(SHORT.toMillis(), TimeUnit.MILLISECONDS, SuiteThreads.TIMER)
            : marked.withCancellation();
    context = own;
    if (cell.ending() == Ending.CONTEXT_CANCELLED_BEFORE) {
      own.cancel(null);
    }
    try {
      return own.call(this::seenByCaller);
    } finally {
      disturbance.join();
      caller = null;
    }
  }

  private String seenByCaller() throws Exception {
    try {
      return driver.drive(this);
    } catch (StatusRuntimeException e) {
      return "StatusRuntimeException " + seen(e.getStatus());
    } catch (StatusException e) {
      return "StatusException " + seen(e.getStatus());
    } catch (RuntimeException | Error e) {
      world.journal.event("caller saw " + e);
      return e.getClass().getSimpleName();
    }
  }

  /** What the caller of a call sees of a status. */
  static String seen(Status status) {
    return status.getCode().toString();
  }

  private void cancelContext() {
    Context.CancellableContext own = context;
    if (own != null) {
      own.cancel(null);
    }
  }

  /** Waits for the last call's onClose; a rejecting executor can never bring one. */
  boolean awaitClosed() throws InterruptedException {
    return cell.rejects() || !world.hasCall() || awaitClosed(world.lastCall());
  }

  boolean awaitClosed(CallRecord call) throws InterruptedException {
    waitingFor = "onClose";
    boolean closed = call.awaitClosed(patience);
    if (!closed) {
      hang("no onClose within " + patience.toMillis() + " ms");
    }
    return closed;
  }

  private synchronized void hang(String seen) {
    if (!hung) {
      hung = true;
      world.journal.broke(rule, seen);
    }
  }

  private void rescue() {
    world.close();
    Thread stuck = caller;
    if (stuck != null) {
      stuck.interrupt();
    }
  }

  /** Ends everything of this run and notes what stays open. */
  void finish() {
    world.finish(world.below.hasStarted() ? rule : Rule.H);
    cancelContext();
  }

  @Override
  public void close() {
    world.close();
  }
}
