package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** What the checks of single rules do. */
final class CallChecks {
  private static final int MANY = 50;

  private CallChecks() {}

  static void dropMany(CellRun run, Set<InterceptorTrait> traits) {
    for (int i = 0; i < MANY; i++) {
      ClientCall<String, String> call = newCall(run);
      if (i % 2 == 0) {
        call.cancel(CellRun.CANCELLED, null);
      }
    }
  }

  static void manyThreads(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    Callable<Integer> calls =
        Context.current()
            .wrap(
                () -> {
                  int answered = 0;
                  for (int i = 0; i < MANY; i++) {
                    answered +=
                        ClientCalls.futureUnaryCall(newCall(run), "message 0")
                            .get(run.patience().toNanos(), TimeUnit.NANOSECONDS)
                            .length();
                  }
                  return answered;
                });
    List<Future<Integer>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(SuiteThreads.HELPERS.submit(calls));
    }
    for (Future<Integer> thread : threads) {
      try {
        thread.get();
      } catch (ExecutionException e) {
        if (!traits.contains(InterceptorTrait.ANSWERS_LOCALLY)) {
          run.journal().broke(Rule.A1, "one of 200 calls from four threads failed: " + e);
        }
      }
    }
  }

  static void options(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    Deadline deadline = Deadline.after(1, TimeUnit.MINUTES);
    CallOptions options = run.options().withDeadline(deadline).withWaitForReady();
    ClientCall<String, String> call = run.channel().newCall(run.cell().type().method(), options);
    start(call, new ClosingListener());
    send(run, call);
    run.awaitClosed();
    for (BelowProbe.Below below : run.world().below.calls()) {
      CallOptions passed = below.options;
      if (!deadline.equals(passed.getDeadline())
          || passed.getExecutor() == null
          || !passed.isWaitForReady()) {
        run.journal().broke(Rule.D3, "options below are " + passed);
      }
    }
  }

  static void nextCallFromOnClose(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> first = newCall(run);
    start(
        first,
        new ClosingListener() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ClientCall<String, String> next = newCall(run);
            start(next, new ClosingListener());
            send(run, next);
          }
        });
    send(run, first);
    run.awaitClosed(run.world().above.calls().get(0));
    if (run.world().above.calls().size() < 2) {
      run.journal().broke(Rule.B4, "the call from inside onClose could not be made");
      return;
    }
    run.awaitClosed(run.world().above.calls().get(1));
  }

  static void cancelFromOnHeaders(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    start(
        call,
        new ClosingListener() {
          @Override
          public void onHeaders(Metadata headers) {
            call.cancel(CellRun.CANCELLED, null);
          }
        });
    sendLoosely(run, call);
    run.awaitClosed();
  }

  static void cancelFromOnMessage(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    start(
        call,
        new ClosingListener() {
          @Override
          public void onMessage(String message) {
            call.cancel(CellRun.CANCELLED, null);
          }
        });
    sendLoosely(run, call);
    run.awaitClosed();
  }

  static void raceManyTimes(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    for (int i = 0; i < MANY && !run.hung(); i++) {
      ClientCall<String, String> call = newCall(run);
      start(call, new ClosingListener());
      send(run, call);
      int arrived = i + 1;
      Await.until(
          () -> run.world().lastCallIsClosed() || run.world().server.halfClosedCalls() >= arrived,
          run.patience());
      run.disturbance().race(run.world().server::release, () -> call.cancel("raced", null));
      run.awaitClosed();
    }
  }

  static void oneAtATime(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    call.start(new ClosingListener(), new Metadata());
    send(run, call);
    CallRecord record = run.world().lastCall();
    for (int i = 1; i <= run.cell().type().responses(); i++) {
      call.request(1);
      int wanted = i;
      Await.until(() -> record.isClosed() || record.messages().size() >= wanted, run.patience());
    }
    call.request(1);
    run.awaitClosed();
  }

  static void oddRequests(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    call.start(new ClosingListener(), new Metadata());
    call.request(0);
    try {
      call.request(-1);
      // A call that has failed already takes anything.
      if (run.world().below.hasStarted()) {
        run.journal().broke(Rule.C10, "request(-1) was taken without IllegalArgumentException");
      }
    } catch (IllegalArgumentException e) {
      run.journal().event("request(-1) was refused");
    }
    call.request(100);
    send(run, call);
    run.awaitClosed();
  }

  static void neverReady(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    start(call, new ClosingListener());
    run.awaitClosed();
    if (call.isReady()) {
      run.journal().broke(Rule.C12, "isReady was true after the call was closed");
    }
  }

  static void operations(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    start(call, new ClosingListener());
    call.setMessageCompression(true);
    send(run, call);
    run.awaitClosed();
    List<String> expected =
        List.of(
            "setMessageCompression true",
            "sendMessage message 0",
            "sendMessage message 1",
            "sendMessage message 2",
            "halfClose");
    for (BelowProbe.Below below : run.world().below.calls()) {
      List<String> seen = below.operations.stream().filter(o -> !o.startsWith("request")).toList();
      if (below.started && !seen.equals(expected)) {
        run.journal().broke(Rule.C14, "below came " + seen + " instead of " + expected);
      }
    }
  }

  static void cancelText(CellRun run, Set<InterceptorTrait> traits) throws Exception {
    ClientCall<String, String> call = newCall(run);
    start(call, new ClosingListener());
    send(run, call);
    run.disturbance().now(() -> call.cancel(CellRun.CANCELLED, null));
    run.awaitClosed();
    for (BelowProbe.Below below : run.world().below.calls()) {
      if (below.started
          && !traits.contains(InterceptorTrait.ANSWERS_LOCALLY)
          && !below.operations.contains("cancel " + CellRun.CANCELLED)) {
        run.journal().broke(Rule.C14, "below came " + below.operations);
      }
    }
  }

  private static ClientCall<String, String> newCall(CellRun run) {
    return run.channel().newCall(run.cell().type().method(), run.options());
  }

  private static void start(ClientCall<String, String> call, ClientCall.Listener<String> listener) {
    call.start(listener, new Metadata());
    call.request(100);
  }

  private static void send(CellRun run, ClientCall<String, String> call) {
    for (int i = 0; i < run.cell().type().requests(); i++) {
      call.sendMessage("message " + i);
    }
    call.halfClose();
  }

  /** gRPC refuses to send on a call that its own listener has cancelled. */
  private static void sendLoosely(CellRun run, ClientCall<String, String> call) {
    try {
      send(run, call);
    } catch (IllegalStateException e) {
      run.journal().event("sending threw " + e);
    }
  }

  /** Does nothing with what it gets. */
  private static class ClosingListener extends ClientCall.Listener<String> {}
}
