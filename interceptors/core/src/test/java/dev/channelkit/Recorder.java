package dev.channelkit;

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

/** Writes down what passes, and forwards it. */
final class Recorder implements ClientInterceptor {
  private final String name;
  private final List<String> log;

  Recorder(String name, List<String> log) {
    this.name = name;
    this.log = log;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    log.add(name + " newCall");
    return new RecordedCall<>(next.newCall(method, options));
  }

  private final class RecordedCall<Q, R> extends SimpleForwardingClientCall<Q, R> {
    RecordedCall(ClientCall<Q, R> delegate) {
      super(delegate);
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      log.add(name + " start");
      super.start(new RecordedListener<>(listener), headers);
    }

    @Override
    public void sendMessage(Q message) {
      log.add(name + " sendMessage");
      super.sendMessage(message);
    }

    @Override
    public void halfClose() {
      log.add(name + " halfClose");
      super.halfClose();
    }
  }

  private final class RecordedListener<R> extends SimpleForwardingClientCallListener<R> {
    RecordedListener(ClientCall.Listener<R> delegate) {
      super(delegate);
    }

    @Override
    public void onHeaders(Metadata headers) {
      log.add(name + " onHeaders");
      super.onHeaders(headers);
    }

    @Override
    public void onMessage(R message) {
      log.add(name + " onMessage");
      super.onMessage(message);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      log.add(name + " onClose");
      super.onClose(status, trailers);
    }
  }
}
