package dev.channelkit.testing;

import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** The stubs that hand their result to the calling thread. */
final class StubDrivers {
  private StubDrivers() {}

  static String future(CellRun run) throws Exception {
    CallType type = run.cell().type();
    Future<String> answer =
        ClientCalls.futureUnaryCall(
            run.channel().newCall(type.method(), run.options()), "message 0");
    run.disturbance().now(() -> answer.cancel(true));
    run.awaitClosed();
    if (run.cell().rejects()) {
      answer.cancel(true);
      return "nothing";
    }
    try {
      return "OK " + answer.get();
    } catch (ExecutionException e) {
      return "ExecutionException " + CellRun.seen(Status.fromThrowable(e));
    } catch (CancellationException e) {
      return "CancellationException";
    }
  }

  static String blockingUnary(CellRun run) throws Exception {
    run.disturbance().whileBlocked();
    String answer =
        ClientCalls.blockingUnaryCall(
            run.channel(), run.cell().type().method(), run.options(), "message 0");
    return "OK " + answer;
  }

  static String iterator(CellRun run) throws Exception {
    run.disturbance().whileBlocked();
    Iterator<String> answers =
        ClientCalls.blockingServerStreamingCall(
            run.channel(), run.cell().type().method(), run.options(), "message 0");
    List<String> messages = new ArrayList<>();
    answers.forEachRemaining(messages::add);
    return "OK " + messages;
  }

  static String blockingCall(CellRun run) throws Exception {
    CallType type = run.cell().type();
    Ending ending = run.cell().ending();
    BlockingCall call = BlockingCall.open(type, run.channel(), run.options(), "message 0");
    if (ending == Ending.CANCEL_AFTER_START) {
      call.cancel(CellRun.CANCELLED);
    } else {
      if (type.streamsRequests()) {
        for (int i = 0; i < type.requests(); i++) {
          call.write("message " + i);
        }
        if (ending.halfCloses(type)) {
          call.halfClose();
        }
      }
      run.disturbance().now(() -> call.cancel(CellRun.CANCELLED));
    }
    List<String> messages = new ArrayList<>();
    for (String message = call.read(); message != null; message = call.read()) {
      messages.add(message);
    }
    return "OK " + messages;
  }
}
