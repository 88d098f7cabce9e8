package dev.channelkit.testing;

import io.grpc.ClientCall;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Uses the asynchronous stubs and their stream observers. */
final class AsyncDriver implements Driver {

  @Override
  public String drive(CellRun run) throws Exception {
    CallType type = run.cell().type();
    Ending ending = run.cell().ending();
    ClientCall<String, String> call = run.channel().newCall(type.method(), run.options());
    Application application = new Application(ending);
    switch (type) {
      case UNARY -> ClientCalls.asyncUnaryCall(call, "message 0", application);
      case SERVER_STREAMING -> ClientCalls.asyncServerStreamingCall(call, "message 0", application);
      case CLIENT_STREAMING ->
          send(run, ClientCalls.asyncClientStreamingCall(call, application), application);
      case BIDI_STREAMING ->
          send(run, ClientCalls.asyncBidiStreamingCall(call, application), application);
    }
    run.disturbance().now(application::cancel);
    run.awaitClosed();
    if (run.cell().rejects()) {
      application.cancel();
    }
    return application.seen();
  }

  private static void send(CellRun run, StreamObserver<String> requests, Application application) {
    Ending ending = run.cell().ending();
    if (ending == Ending.CANCEL_AFTER_START) {
      application.cancel();
      return;
    }
    try {
      for (int i = 0; i < run.cell().type().requests(); i++) {
        requests.onNext("message " + i);
      }
      if (ending.halfCloses(run.cell().type())) {
        requests.onCompleted();
      }
    } catch (IllegalStateException e) {
      if (!ending.listenerThrows()) {
        run.journal().broke(Rule.A6, "sending threw " + e);
      }
    }
  }

  /** The application's observer. */
  private static final class Application implements ClientResponseObserver<String, String> {
    private final Ending ending;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private volatile @Nullable ClientCallStreamObserver<String> requests;
    private volatile String seen = "nothing";

    Application(Ending ending) {
      this.ending = ending;
    }

    void cancel() {
      ClientCallStreamObserver<String> observer = requests;
      if (observer != null) {
        observer.cancel(CellRun.CANCELLED, null);
      }
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<String> requestStream) {
      requests = requestStream;
      requestStream.setOnReadyHandler(
          () -> ending.throwIn(Ending.ON_READY_THROWS, Ending.ON_READY_ERROR));
    }

    @Override
    public void onNext(String value) {
      messages.add(value);
      ending.throwIn(Ending.ON_MESSAGE_THROWS, Ending.ON_MESSAGE_ERROR);
    }

    @Override
    public void onError(Throwable thrown) {
      seen = CellRun.seen(Status.fromThrowable(thrown));
      ending.throwIn(Ending.ON_CLOSE_THROWS, Ending.ON_CLOSE_ERROR);
    }

    @Override
    public void onCompleted() {
      seen = "OK " + messages;
      ending.throwIn(Ending.ON_CLOSE_THROWS, Ending.ON_CLOSE_ERROR);
    }

    String seen() {
      return seen;
    }
  }
}
