package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Sits between the interceptor and the channel and watches what the interceptor does below. */
final class BelowProbe implements ClientInterceptor {
  static final String THROWN = "start failed below on purpose";

  private final Journal journal;
  private final boolean startThrows;
  private final List<Below> calls = new CopyOnWriteArrayList<>();

  BelowProbe(Journal journal, boolean startThrows) {
    this.journal = journal;
    this.startThrows = startThrows;
  }

  /** The calls that were created below for the suite's own service. */
  List<Below> calls() {
    return calls;
  }

  boolean hasOpenCall() {
    return calls.stream().anyMatch(c -> c.started && !c.closed && !c.cancelled);
  }

  boolean hasStarted() {
    return calls.stream().anyMatch(c -> c.started);
  }

  /** To be asked when all calls have ended. */
  void checkHeadersUntouched() {
    for (Below call : calls) {
      Metadata given = call.given;
      Metadata copy = call.copy;
      if (given != null && copy != null) {
        String before = Outcome.values(copy).toString();
        String after = Outcome.values(given).toString();
        if (!before.equals(after)) {
          journal.broke(Rule.A7, before + " at start became " + after);
        }
        if (calls.stream().anyMatch(other -> other != call && other.given == given)) {
          journal.broke(Rule.A7, "two calls were started with the same Metadata");
        }
      }
    }
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    if (!CallType.SERVICE.equals(
        MethodDescriptor.extractFullServiceName(method.getFullMethodName()))) {
      return next.newCall(method, options);
    }
    journal.event("below newCall");
    Below record = new Below(options);
    calls.add(record);
    if (CallRecord.MARK.get() == null) {
      journal.broke(Rule.A3, "newCall did not see a value of the caller's Context");
    }
    if (options.getOption(CallRecord.OPTION) == null) {
      journal.broke(Rule.D3, "a custom option of the caller is missing below");
    }
    return new Watched<>(next.newCall(method, options), record);
  }

  /** One call below. */
  static final class Below {
    final CallOptions options;
    final List<String> operations = new CopyOnWriteArrayList<>();
    volatile boolean started;
    volatile boolean closed;
    volatile boolean cancelled;
    volatile @Nullable Metadata given;
    volatile @Nullable Metadata copy;

    Below(CallOptions options) {
      this.options = options;
    }
  }

  private final class Watched<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private final Below record;

    Watched(ClientCall<ReqT, RespT> call, Below record) {
      super(call);
      this.record = record;
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      journal.event("below start");
      if (startThrows) {
        throw new IllegalStateException(THROWN);
      }
      record.started = true;
      record.given = headers;
      record.copy = copyOf(headers);
      // The transport writes into what it gets; with a copy, every later change is the
      // interceptor's.
      try {
        super.start(new WatchedListener<>(listener, record), copyOf(headers));
      } catch (RuntimeException | Error e) {
        record.started = false;
        throw e;
      }
    }

    @Override
    public void request(int numMessages) {
      record.operations.add("request " + numMessages);
      super.request(numMessages);
    }

    @Override
    public void sendMessage(ReqT message) {
      record.operations.add("sendMessage " + message);
      super.sendMessage(message);
    }

    @Override
    public void setMessageCompression(boolean enabled) {
      record.operations.add("setMessageCompression " + enabled);
      super.setMessageCompression(enabled);
    }

    @Override
    public void halfClose() {
      record.operations.add("halfClose");
      super.halfClose();
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
      journal.event("below cancel: " + message);
      record.cancelled = true;
      record.operations.add("cancel " + message);
      super.cancel(message, cause);
    }

    private Metadata copyOf(Metadata headers) {
      Metadata copied = new Metadata();
      copied.merge(headers);
      return copied;
    }
  }

  private final class WatchedListener<RespT> extends SimpleForwardingClientCallListener<RespT> {
    private final Below record;

    WatchedListener(ClientCall.Listener<RespT> listener, Below record) {
      super(listener);
      this.record = record;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      journal.event("below onClose " + status.getCode());
      record.closed = true;
      super.onClose(status, trailers);
    }
  }
}
