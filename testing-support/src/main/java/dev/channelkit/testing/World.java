package dev.channelkit.testing;

import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A fresh server, channel and executor, with the interceptor between two probes. */
final class World implements AutoCloseable {
  /** gRPC takes a short cut for exactly this executor. */
  private static final Executor DIRECT = MoreExecutors.directExecutor();

  final Journal journal = new Journal();
  final CellServer server;
  final BelowProbe below;
  final AboveProbe above;
  final ManagedChannel managed;

  /** What the application calls. */
  final Channel channel;

  final CallOptions options;

  private final Cell cell;
  private final Subject subject;
  private final Duration patience;
  private final @Nullable ExecutorService single;

  World(Cell cell, @Nullable ClientInterceptor interceptor, Subject subject) {
    this.cell = cell;
    this.subject = subject;
    this.patience = subject.patience();
    server = new CellServer(cell.ending().script());
    below = new BelowProbe(journal, cell.ending() == Ending.START_THROWS_BELOW);
    above = new AboveProbe(journal, below, DIRECT, cell.rejects());
    managed = InProcessChannelBuilder.forName(server.name()).executor(SuiteThreads.CHANNEL).build();
    channel =
        interceptor == null
            ? ClientInterceptors.interceptForward(managed, above, below)
            : ClientInterceptors.interceptForward(managed, above, interceptor, below);
    single =
        cell.executor() == ExecutorKind.SINGLE_THREAD
            ? Executors.newSingleThreadExecutor(SuiteThreads.factory("executor"))
            : null;
    options = subject.callOptions(optionsOf(cell, single));
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
    return cell.ending() == Ending.DEADLINE_BEFORE_START
        ? options.withDeadline(Deadline.after(-1, TimeUnit.SECONDS))
        : options;
  }

  /** Connects, because a cold channel buffers calls in a way of its own. */
  void open() {
    Await.until(() -> managed.getState(true) == ConnectivityState.READY, patience);
    if (cell.ending() == Ending.SHUTDOWN_BEFORE) {
      managed.shutdown();
    }
  }

  boolean mayAnswerLocally() {
    return subject.traits().contains(InterceptorTrait.ANSWERS_LOCALLY);
  }

  boolean hasCall() {
    return !above.calls().isEmpty();
  }

  CallRecord lastCall() {
    List<CallRecord> calls = above.calls();
    return calls.get(calls.size() - 1);
  }

  boolean lastCallIsClosed() {
    return hasCall() && lastCall().isClosed();
  }

  Outcome outcome(String seen) {
    if (!hasCall()) {
      return new Outcome(seen, 0, null, Map.of(), Map.of(), List.of(), Map.of(), false, null);
    }
    CallRecord record = lastCall();
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
        record.thrownByStart());
  }

  /**
   * Ends everything and notes what stays open.
   *
   * @param rule to name when a call that was started stays open on the server
   */
  void finish(Rule rule) {
    managed.shutdown();
    // gRPC itself strands a call whose executor rejects.
    if (!cell.rejects()) {
      awaitNothingOpen(rule);
    }
    below.checkHeadersUntouched();
  }

  private void awaitNothingOpen(Rule rule) {
    if (!Await.until(() -> server.openCalls() == 0, patience)) {
      journal.broke(rule, server.openCalls() + " call(s) stayed open on the server");
    }

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
}
