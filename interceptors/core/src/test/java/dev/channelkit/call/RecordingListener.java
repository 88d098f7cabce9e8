package dev.channelkit.call;

import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Writes down what it is told and every way in which it was told wrongly. */
final class RecordingListener<R> extends ClientCall.Listener<R> {
  final List<String> events = new ArrayList<>();
  final List<String> faults = new ArrayList<>();
  final List<Metadata> metadata = new ArrayList<>();
  final List<Context> contexts = new ArrayList<>();
  final CountDownLatch closed = new CountDownLatch(1);
  Consumer<String> onEvent = event -> {};
  Status status;
  Metadata trailers;
  Thread closedBy;
  private final AtomicInteger inside = new AtomicInteger();
  private int closes;

  @Override
  public void onHeaders(Metadata headers) {
    event("headers", headers);
  }

  @Override
  public void onMessage(R message) {
    event("message " + message, null);
  }

  @Override
  public void onReady() {
    event("ready", null);
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    this.status = status;
    this.trailers = trailers;
    this.closedBy = Thread.currentThread();
    try {
      event("close " + status.getCode(), trailers);
    } finally {
      synchronized (events) {
        closes++;
      }
      closed.countDown();
    }
  }

  private void event(String event, Metadata given) {
    if (inside.incrementAndGet() != 1) {
      fault("concurrent or re-entrant " + event);
    }
    try {
      synchronized (events) {
        if (closes > 0) {
          fault(event + " after onClose");
        }
        events.add(event);
        contexts.add(Context.current());
        if (given != null) {
          metadata.add(given);
        }
      }
      onEvent.accept(event);
    } finally {
      inside.decrementAndGet();
    }
  }

  private void fault(String fault) {
    synchronized (events) {
      faults.add(fault);
    }
  }

  List<String> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  int closes() {
    synchronized (events) {
      return closes;
    }
  }

  List<String> faults() {
    synchronized (events) {
      return List.copyOf(faults);
    }
  }

  boolean awaitClose() {
    try {
      return closed.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
