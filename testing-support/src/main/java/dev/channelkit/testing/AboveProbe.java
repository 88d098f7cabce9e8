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
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Sits between the application and the interceptor and watches both directions. */
final class AboveProbe implements ClientInterceptor {
  static final Metadata.Key<String> HEADER =
      Metadata.Key.of("conformance-request", Metadata.ASCII_STRING_MARSHALLER);

  private final Journal journal;
  private final BelowProbe below;
  private final Executor direct;
  private final boolean rejecting;
  private final List<CallRecord> calls = new CopyOnWriteArrayList<>();

  AboveProbe(Journal journal, BelowProbe below, Executor direct, boolean rejecting) {
    this.journal = journal;
    this.below = below;
    this.direct = direct;
    this.rejecting = rejecting;
  }

  List<CallRecord> calls() {
    return calls;
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    Executor executor = options.getExecutor();
    // gRPC takes a short cut for the direct executor itself, so that one stays what it is.
    boolean track = executor != null && executor != direct && !rejecting;
    TrackedExecutor tracked = track && executor != null ? new TrackedExecutor(executor) : null;
    CallOptions passed = tracked == null ? options : options.withExecutor(tracked);
    CallRecord record = new CallRecord(journal, tracked);
    ClientCall<ReqT, RespT> call = create(method, passed, next);
    calls.add(record);
    return new Watched<>(call, record);
  }

  private <ReqT, RespT> ClientCall<ReqT, RespT> create(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    @Nullable ClientCall<ReqT, RespT> call;
    try {
      call = next.newCall(method, options);
    } catch (RuntimeException | Error e) {
      journal.broke(Rule.A2, "it threw " + e);
      throw e;
    }
    if (call == null) {
      journal.broke(Rule.A2, "it returned null");
      throw new IllegalStateException("interceptCall returned null");
    }
    return call;
  }

  private final class Watched<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private final CallRecord record;

    Watched(ClientCall<ReqT, RespT> call, CallRecord record) {
      super(call);
      this.record = record;
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      journal.event("caller start");
      headers.put(HEADER, "from the caller");
      record.starting(true);
      try {
        super.start(new WatchedListener<>(listener, record), headers);
      } catch (RuntimeException | Error e) {
        journal.event("start threw " + e);
        record.startThrew(e);
        throw e;
      } finally {
        record.starting(false);
      }
    }

    @Override
    public void request(int numMessages) {
      journal.event("caller request " + numMessages);
      record.request(numMessages);
      super.request(numMessages);
    }

    @Override
    public void sendMessage(ReqT message) {
      journal.event("caller sendMessage");
      super.sendMessage(message);
    }

    @Override
    public void halfClose() {
      journal.event("caller halfClose");
      super.halfClose();
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
      journal.event("caller cancel: " + message);
      super.cancel(message, cause);
    }
  }

  private final class WatchedListener<RespT> extends SimpleForwardingClientCallListener<RespT> {
    private final CallRecord record;

    WatchedListener(ClientCall.Listener<RespT> listener, CallRecord record) {
      super(listener);
      this.record = record;
    }

    @Override
    public void onHeaders(Metadata headers) {
      record.enterHeaders(headers);
      try {
        super.onHeaders(headers);
      } finally {
        record.leave();
      }
    }

    @Override
    public void onMessage(RespT message) {
      record.enterMessage(message);
      try {
        super.onMessage(message);
      } finally {
        record.leave();
      }
    }

    @Override
    public void onReady() {
      record.enterReady();
      try {
        super.onReady();
      } finally {
        record.leave();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      record.enterClose(status, trailers);
      if (status != null && status.isOk() && calls.size() == 1 && below.hasOpenCall()) {
        journal.broke(
            Rule.C8,
            "onClose(OK) while the call below was started and neither closed nor cancelled");
      }
      try {
        super.onClose(status, trailers);
      } finally {
        record.leaveClose();
      }
    }
  }
}
