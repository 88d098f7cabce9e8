package dev.channelkit.call;

import io.grpc.Attributes;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A delegate without a network: as strict as gRPC's own call, and it writes everything down. */
final class ScriptedCall extends ClientCall<String, String> {
  final List<String> log = new ArrayList<>();
  final List<String> faults = new ArrayList<>();
  Consumer<String> onOperation = operation -> {};
  volatile boolean ready;
  volatile Listener<String> listener;
  volatile Metadata headers;
  volatile Context startedIn;
  private boolean startReturned;
  private boolean halfClosed;

  private void operation(String operation, boolean needsStart) {
    synchronized (log) {
      log.add(operation);
      if (needsStart && !startReturned) {
        faults.add(operation + " before start returned");
      }
      if (halfClosed && (operation.startsWith("message") || operation.equals("halfClose"))) {
        faults.add(operation + " after halfClose");
      }
      halfClosed |= operation.equals("halfClose");
    }
    onOperation.accept(operation);
  }

  @Override
  public void start(Listener<String> listener, Metadata headers) {
    this.listener = listener;
    this.headers = headers;
    this.startedIn = Context.current();
    operation("start", false);
    synchronized (log) {
      startReturned = true;
    }
  }

  @Override
  public void request(int numMessages) {
    operation("request " + numMessages, true);
  }

  @Override
  public void cancel(String message, Throwable cause) {
    operation("cancel " + message, false);
    Listener<String> target = listener;
    if (target != null) {
      target.onClose(Status.CANCELLED.withDescription(message).withCause(cause), new Metadata());
    }
  }

  @Override
  public void halfClose() {
    operation("halfClose", true);
  }

  @Override
  public void sendMessage(String message) {
    operation("message " + message, true);
  }

  @Override
  public void setMessageCompression(boolean enabled) {
    operation("compression " + enabled, true);
  }

  @Override
  public boolean isReady() {
    if (listener == null) {
      throw new NullPointerException("not started, as gRPC's own call says it");
    }
    return ready;
  }

  @Override
  public Attributes getAttributes() {
    return Attributes.newBuilder().set(Attributes.Key.create("delegate"), "yes").build();
  }

  List<String> log() {
    synchronized (log) {
      return List.copyOf(log);
    }
  }
}
