package dev.channelkit.testing;

import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One call of one cell on a fresh server and channel, with or without an interceptor. */
final class CellRun implements AutoCloseable {
  static final String CANCELLED = "cancelled by the conformance suite";
  private static final Duration SHORT = Duration.ofMillis(10);
  private static final Executor DIRECT = MoreExecutors.directExecutor();

  private final Cell cell;
  private final Duration patience;
  private final Journal journal = new Journal();
  private final CellServer server;
  private final BelowProbe below;
  private final AboveProbe above;
  private final ManagedChannel managed;
  private final Channel channel;
  private final @Nullable ExecutorService single;
  private final CallOptions options;
  private Context.@Nullable CancellableContext cancellable;
  private @Nullable Future<?> helper;
  private volatile @Nullable Thread caller;
  private volatile String waitingFor = "nothing";
  private boolean hung;

  CellRun(
      Cell cell,
      @Nullable ClientInterceptor subject,
      UnaryOperator<CallOptions> moreOptions,
      Duration patience) {
    this.cell = cell;
    this.patience = patience;
    server = new CellServer(cell.ending().script());
    below = new BelowProbe(journal, cell.ending() == Ending.START_THROWS_BELOW);
    above = new AboveProbe(journal, below, DIRECT, cell.rejects());
    managed = InProcessChannelBuilder.forName(server.name()).executor(SuiteThreads.CHANNEL).build();
    channel =
        subject == null
            ? ClientInterceptors.interceptForward(managed, above, below)
            : ClientInterceptors.interceptForward(managed, above, subject, below);
    single =
        cell.executor() == ExecutorKind.SINGLE_THREAD
            ? Executors.newSingleThreadExecutor(SuiteThreads.factory("executor"))
            : null;
    options = moreOptions.apply(optionsOf(cell, single));
  }

  private static CallOptions optionsOf(Cell cell, @Nullable ExecutorService single) {
    CallOptions options = CallOptions.DEFAULT.withOption(CallRecord.OPTION, "present");
    if (cell.executor() == ExecutorKind.DIRECT) {
      options = options.withExecutor(DIRECT);
    } else if (cell.executor() == ExecutorKind.REJECTING) {
      options =
          options.withExecutor(
              task -> {
                throw new RejectedExecutionException("rejected on purpose");
              });
    } else if (single != null) {
      options = options.withExecutor(single);
    }
    return switch (cell.ending()) {
      case DEADLINE_BEFORE_START -> options.withDeadline(Deadline.after(-1, TimeUnit.SECONDS));
      default -> options;
    };
  }

  Cell cell() {
    return cell;
  }

  Channel channel() {
    return channel;
  }

  Journal journal() {
    return journal;
  }

  BelowProbe below() {
    return below;
  }

  boolean hung() {
    return hung;
  }

  /** Options of the call; a short deadline starts to run here. */
  CallOptions options() {
    return cell.ending() == Ending.DEADLINE
        ? options.withDeadline(Deadline.after(SHORT.toMillis(), TimeUnit.MILLISECONDS))
        : options;
  }

  /** Makes the call, waits for its end, and says what was seen. */
  Outcome execute() {
    // A cold channel buffers calls in a way of its own, and hands them on through the call's
    // executor.
    Await.until(() -> managed.getState(true) == ConnectivityState.READY, patience);
    if (cell.ending() == Ending.SHUTDOWN_BEFORE) {
      managed.shutdown();
    }
    Driver driver = Driver.of(cell.stub());
    Future<String> call = SuiteThreads.CALLERS.submit(() -> drive(driver));
    String seen;
    try {
      seen = call.get(patience.plusMillis(500).toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      hang("waits for " + waitingFor + ": " + SuiteThreads.stackOf(caller));
      rescue();
      seen = "nothing";
    } catch (ExecutionException e) {
      journal.broke(Rule.H, "the call ended in " + e.getCause());
      seen = "nothing";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a cell ran", e);
    }
    return outcome(seen);
  }

  private String drive(Driver driver) throws Exception {
    caller = Thread.currentThread();
    Context marked = Context.current().withValue(CallRecord.MARK, "present");
    Context.CancellableContext context =
        cell.ending() == Ending.DEADLINE_OF_CONTEXT
            ? marked.withDeadlineAfter(SHORT.toMillis(), TimeUnit.MILLISECONDS, SuiteThreads.TIMER)
            : marked.withCancellation();
    cancellable = context;
    if (cell.ending() == Ending.CONTEXT_CANCELLED_BEFORE) {
      context.cancel(null);
    }
    try {
      return context.call(
          () -> {
            try {
              return driver.drive(this);
            } catch (StatusRuntimeException e) {
              return "StatusRuntimeException " + e.getStatus().getCode();
            } catch (StatusException e) {
              return "StatusException " + e.getStatus().getCode();
            } catch (RuntimeException | Error e) {
              journal.event("caller saw " + e);
              return e.getClass().getSimpleName();
            }
          });
    } finally {
      joinHelper();
      caller = null;
    }
  }

  /** Brings about the ending, once the server has the call; {@code cancel} is the caller's way. */
  void disturb(Runnable cancel) {
    Ending ending = cell.ending();
    switch (ending) {
      case CANCEL_AFTER_HALF_CLOSE -> afterArrival(cancel);
      case CONTEXT_CANCELLED -> afterArrival(this::cancelContext);
      case SHUTDOWN_NOW -> afterArrival(managed::shutdownNow);
      case SHUTDOWN ->
          afterArrival(
              () -> {
                managed.shutdown();
                server.release();
              });
      case CANCEL_RACING_CLOSE -> afterArrival(() -> race(server::release, cancel));
      default -> {}
    }
  }

  /** Like {@link #disturb}, from another thread because the caller's is about to block. */
  void disturbWhileBlocked() {
    Thread blocked = Thread.currentThread();
    helper = SuiteThreads.HELPERS.submit(() -> disturb(blocked::interrupt));
  }

  private void afterArrival(Runnable action) {
    boolean halfClosed = cell.ending().halfCloses(cell.type());
    waitingFor = "the server to receive the call";
    // The first rejected task breaks the in-process stream, so that a half-close never arrives.
    boolean arrived =
        Await.until(
            () -> server.isHolding(halfClosed && !cell.rejects()) || lastIsClosed(), patience);
    if (!arrived) {
      journal.event("the call never reached the server");
    }
    action.run();
  }

  private void race(Runnable first, Runnable second) {
    CountDownLatch go = new CountDownLatch(1);
    Future<?> other =
        SuiteThreads.HELPERS.submit(
            () -> {
              go.await();
              first.run();
              return null;
            });
    go.countDown();
    second.run();
    await(other);
  }

  private void joinHelper() {
    Future<?> running = helper;
    if (running != null) {
      boolean interrupted = Thread.interrupted();
      await(running);
      if (interrupted) {
        journal.event("the caller was interrupted");
      }
    }
  }

  private void await(Future<?> task) {
    try {
      task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      journal.event("helper ended in " + e);
    } catch (InterruptedException e) {
      // The interrupt that this very helper sent came after the call had ended.
      journal.event("interrupted after the call ended");
    }
  }

  void cancelContext() {
    Context.CancellableContext context = cancellable;
    if (context != null) {
      context.cancel(null);
    }
  }

  /** Waits for onClose; a rejecting executor can never bring one, so there nothing is awaited. */
  boolean awaitClosed() throws InterruptedException {
    if (cell.rejects() || above.calls().isEmpty()) {
      return true;
    }
    waitingFor = "onClose";
    boolean closed = last().awaitClosed(patience);
    if (!closed) {
      hang("no onClose within " + patience.toMillis() + " ms");
    }
    return closed;
  }

  private void hang(String seen) {
    if (!hung) {
      hung = true;
      journal.broke(cell.ending().rule(), seen);
    }
  }

  private void rescue() {
    managed.shutdownNow();
    server.close();
    Thread stuck = caller;
    if (stuck != null) {
      stuck.interrupt();
    }
  }

  private CallRecord last() {
    List<CallRecord> calls = above.calls();
    return calls.get(calls.size() - 1);
  }

  private boolean lastIsClosed() {
    return !above.calls().isEmpty() && last().isClosed();
  }

  private Outcome outcome(String seen) {
    if (above.calls().isEmpty()) {
      return new Outcome(seen, 0, null, Map.of(), Map.of(), List.of(), Map.of(), false, 0, null);
    }
    CallRecord record = last();
    List<CellServer.Exchange> exchanges = server.exchanges();
    return new Outcome(
        seen,
        record.closes(),
        record.status(),
        Outcome.values(record.headers()),
        Outcome.values(record.trailers()),
        List.copyOf(record.messages()),
        Outcome.values(exchanges.isEmpty() ? null : exchanges.get(0).headers),
        below.hasStarted(),
        server.openCalls(),
        record.thrownByStart());
  }

  /**
   * Ends everything of this run and notes what stays open.
   *
   * @param strandedByGrpc server calls that a bare channel leaves open in the same cell
   */
  void finish(int strandedByGrpc) {
    if (!Await.until(() -> server.openCalls() <= strandedByGrpc, patience)) {
      boolean started = below.hasStarted();
      journal.broke(
          started ? cell.ending().rule() : Rule.H,
          server.openCalls() + " call(s) stayed open on the server");
    }
    cancelContext();
    managed.shutdown();
    if (!cell.rejects()) {
      awaitNothingOpen();
    }
    below.checkHeadersUntouched();
  }

  private void awaitNothingOpen() {
    try {
      if (!managed.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        journal.broke(Rule.H, "channel.awaitTermination was false");
      }
      if (single != null) {
        single.shutdown();
        if (!single.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
          journal.broke(Rule.H, "the call executor stayed busy");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    managed.shutdownNow();
    server.close();
    if (single != null) {
      single.shutdownNow();
    }
  }

  /** What the caller of a call sees of a status. */
  static String seen(Status status) {
    return status.getCode().toString();
  }
}
