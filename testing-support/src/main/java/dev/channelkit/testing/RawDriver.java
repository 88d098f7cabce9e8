package dev.channelkit.testing;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Uses {@link ClientCall} itself, one request at a time. */
final class RawDriver implements Driver {

  @Override
  public String drive(CellRun run) throws Exception {
    CallType type = run.cell().type();
    Ending ending = run.cell().ending();
    ClientCall<String, String> call = run.channel().newCall(type.method(), run.options());
    if (ending == Ending.DROPPED) {
      return "dropped";
    }
    Application application = new Application(call, ending);
    if (ending == Ending.CANCEL_BEFORE_START) {
      return cancelBeforeStart(run, call, application);
    }
    call.start(application, new Metadata());
    // Unary stubs ask for two, to notice a second answer.
    call.request(type.streamsResponses() ? 1 : 2);
    if (ending == Ending.CANCEL_AFTER_START) {
      call.cancel(CellRun.CANCELLED, null);
    } else {
      send(run, call);
      run.disturbance().now(() -> call.cancel(CellRun.CANCELLED, null));
    }
    boolean closed = run.awaitClosed();
    if (closed && !run.cell().rejects()) {
      call.request(1);
    }
    call.cancel("cancelled after its end", null);
    return application.seen();
  }

  private static void send(CellRun run, ClientCall<String, String> call) {
    CallType type = run.cell().type();
    try {
      for (int i = 0; i < type.requests(); i++) {
        call.sendMessage("message " + i);
      }
      if (run.cell().ending().halfCloses(type)) {
        call.halfClose();
      }
    } catch (IllegalStateException e) {
      if (!run.cell().ending().listenerThrows()) {
        run.journal().broke(Rule.A6, "sending threw " + e);
      }
    }
  }

  private static String cancelBeforeStart(
      CellRun run, ClientCall<String, String> call, Application application) throws Exception {
    call.cancel(CellRun.CANCELLED, null);
    try {
      call.start(application, new Metadata());
    } catch (IllegalStateException e) {
      return "start refused";
    }
    run.awaitClosed();
    return application.seen();
  }

  /** The application's listener. */
  private static final class Application extends ClientCall.Listener<String> {
    private final ClientCall<String, String> call;
    private final Ending ending;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private volatile @Nullable Status status;

    Application(ClientCall<String, String> call, Ending ending) {
      this.call = call;
      this.ending = ending;
    }

    @Override
    public void onHeaders(Metadata headers) {
      ending.throwIn(Ending.ON_HEADERS_THROWS, Ending.ON_HEADERS_ERROR);
    }

    @Override
    public void onMessage(String message) {
      messages.add(message);
      ending.throwIn(Ending.ON_MESSAGE_THROWS, Ending.ON_MESSAGE_ERROR);
      call.request(1);
    }

    @Override
    public void onReady() {
      ending.throwIn(Ending.ON_READY_THROWS, Ending.ON_READY_ERROR);
    }

    @Override
    public void onClose(Status closedWith, Metadata trailers) {
      status = closedWith;
      ending.throwIn(Ending.ON_CLOSE_THROWS, Ending.ON_CLOSE_ERROR);
    }

    String seen() {
      Status closedWith = status;
      if (closedWith == null) {
        return "nothing";
      }
      return closedWith.isOk() ? "OK " + messages : CellRun.seen(closedWith);
    }
  }
}
