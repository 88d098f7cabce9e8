package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call as it looks above the interceptor. The {@code enter} methods check a callback before it
 * is passed on to the application; {@link #leave()} follows in a finally block.
 */
final class CallRecord {
  /** A value in the caller's Context: present wherever the right Context is. */
  static final Context.Key<String> MARK = Context.key("channelkit-conformance");

  static final CallOptions.Key<String> OPTION =
      CallOptions.Key.create("channelkit-conformance-option");

  private final Journal journal;
  private final @Nullable TrackedExecutor executor;
  private final AtomicLong requested = new AtomicLong();
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicInteger closes = new AtomicInteger();
  private final AtomicInteger headersSeen = new AtomicInteger();
  private final AtomicReference<@Nullable Thread> active = new AtomicReference<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private volatile @Nullable Thread startingOn;
  private volatile @Nullable Throwable thrownByStart;
  private volatile @Nullable Metadata headers;
  private volatile @Nullable Metadata trailers;
  private volatile @Nullable Status status;
  private volatile boolean closeForwarded;

  CallRecord(Journal journal, @Nullable TrackedExecutor executor) {
    this.journal = journal;
    this.executor = executor;
  }

  void starting(boolean now) {
    startingOn = now ? Thread.currentThread() : null;
  }

  void startThrew(Throwable thrown) {
    thrownByStart = thrown;
  }

  void request(int number) {
    if (number > 0) {
      requested.addAndGet(number);
    }
  }

  void enterHeaders(Metadata received) {
    enter("onHeaders");
    headers = received;
    if (headersSeen.incrementAndGet() > 1) {
      journal.broke(Rule.B1, "onHeaders was called twice");
    }
    if (delivered.get() > 0) {
      journal.broke(Rule.B1, "onHeaders came after onMessage");
    }
  }

  void enterMessage(Object message) {
    enter("onMessage");
    messages.add(String.valueOf(message));
    if (headersSeen.get() == 0) {
      journal.broke(Rule.B1, "onMessage came before onHeaders");
    }
    long number = delivered.incrementAndGet();
    if (number > requested.get()) {
      journal.broke(Rule.C10, number + " delivered while only " + requested.get() + " requested");
    }
  }

  void enterReady() {
    enter("onReady");
  }

  void enterClose(@Nullable Status received, @Nullable Metadata receivedTrailers) {
    enter("onClose " + (received == null ? "null" : received.getCode()));
    if (received == null || receivedTrailers == null) {
      journal.broke(Rule.B5, "status " + received + ", trailers " + receivedTrailers);
    }
    int number = closes.incrementAndGet();
    if (number > 1) {
      journal.broke(Rule.B1, "onClose was called " + number + " times");
    } else {
      status = received;
      trailers = receivedTrailers;
    }
  }

  void leave() {
    active.set(null);
  }

  void leaveClose() {
    leave();
    closeForwarded = true;
    closed.countDown();
  }

  private void enter(String callback) {
    journal.event("callback " + callback);
    Thread thread = Thread.currentThread();
    Thread other = active.getAndSet(thread);
    if (other != null) {
      journal.broke(
          Rule.B1,
          callback
              + (other == thread
                  ? " re-entered a callback"
                  : " overlapped one on " + other.getName()));
    }
    if (closes.get() > 0 && !callback.startsWith("onClose")) {
      journal.broke(Rule.B1, callback + " came after onClose");
    }
    // An early failure may close inside start, on the caller's own thread: no stub waits yet.
    boolean insideStart = startingOn == thread && callback.startsWith("onClose");
    if (executor != null && !insideStart && !executor.isRunningThis()) {
      journal.broke(Rule.B2, callback + " ran on " + thread.getName() + ", outside the executor");
    }
    if (MARK.get() == null) {
      journal.broke(Rule.C7, callback + " did not see a value of the caller's Context");
    }
  }

  boolean awaitClosed(Duration bound) throws InterruptedException {
    return closed.await(bound.toNanos(), TimeUnit.NANOSECONDS);
  }

  boolean isClosed() {
    return closeForwarded;
  }

  int closes() {
    return closes.get();
  }

  List<String> messages() {
    return messages;
  }

  @Nullable Throwable thrownByStart() {
    return thrownByStart;
  }

  @Nullable Status status() {
    return status;
  }

  @Nullable Metadata headers() {
    return headers;
  }

  @Nullable Metadata trailers() {
    return trailers;
  }
}
