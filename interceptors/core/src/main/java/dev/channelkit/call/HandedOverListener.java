package dev.channelkit.call;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Decides, should the delegate's start throw, who closes the call: the delegate when it has called
 * back already (it is started, and we cancel it), else we, and it is not listened to any more.
 */
final class HandedOverListener<R> extends ClientCall.Listener<R> {
  private static final int FRESH = 0;
  private static final int LIVE = 1;
  private static final int DETACHED = 2;

  @SuppressWarnings("rawtypes")
  private static final AtomicIntegerFieldUpdater<HandedOverListener> STATE =
      AtomicIntegerFieldUpdater.newUpdater(HandedOverListener.class, "state");

  private final ClientCall.Listener<R> listener;
  private volatile int state = FRESH;

  HandedOverListener(ClientCall.Listener<R> listener) {
    this.listener = listener;
  }

  /** True when the caller has to close; nothing of the delegate gets through from now on. */
  boolean detach() {
    return STATE.compareAndSet(this, FRESH, DETACHED);
  }

  private boolean live() {
    return state == LIVE || STATE.compareAndSet(this, FRESH, LIVE);
  }

  @Override
  public void onHeaders(Metadata headers) {
    if (live()) {
      listener.onHeaders(headers);
    }
  }

  @Override
  public void onMessage(R message) {
    if (live()) {
      listener.onMessage(message);
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (live()) {
      listener.onClose(status, trailers);
    }
  }

  @Override
  public void onReady() {
    if (live()) {
      listener.onReady();
    }
  }
}
