package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.channelkit.testing.ManualScheduler;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SerializingClientCallListenerTest {
  private static final Context.Key<String> CONTEXT_KEY = Context.key("user");

  private final QueuedExecutor executor = new QueuedExecutor();
  private final QueuedExecutor fallback = new QueuedExecutor();
  private final CallRuntime runtime = CallRuntime.of(fallback, new ManualScheduler());
  private final RecordingListener<String> listener = new RecordingListener<>();
  private final List<Throwable> upstreamCancels = new ArrayList<>();
  private final SerializingClientCallListener<String> out =
      new SerializingClientCallListener<>(
          listener,
          CallOptions.DEFAULT.withExecutor(executor),
          runtime,
          Context.ROOT.withValue(CONTEXT_KEY, "ann"),
          (text, cause) -> upstreamCancels.add(cause));

  @Test
  @DisplayName("B1 Callbacks are serial and ordered over a raw pool, onClose once and last")
  void serialOverARawPool() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 200; round++) {
        RecordingListener<String> own = new RecordingListener<>();
        SerializingClientCallListener<String> serial =
            new SerializingClientCallListener<>(
                own,
                CallOptions.DEFAULT.withExecutor(pool),
                runtime,
                Context.ROOT,
                (text, cause) -> {});
        List<String> expected = new ArrayList<>(List.of("headers"));
        serial.onHeaders(new Metadata());
        pool.execute(
            () -> {
              for (int i = 0; i < 50; i++) {
                serial.request(1);
              }
            });
        for (int i = 0; i < 50; i++) {
          serial.onMessage("m" + i);
          expected.add("message m" + i);
        }
        serial.onClose(Status.OK, new Metadata());
        expected.add("close OK");
        assertThat(own.awaitClose()).isTrue();
        assertThat(own.events()).isEqualTo(expected);
        assertThat(own.faults()).isEmpty();
      }
    } finally {
      pool.shutdown();
      assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  @DisplayName("B1 A callback that calls back in is served by the same loop, not by recursion")
  void noRecursion() {
    SerializingClientCallListener<String> direct =
        new SerializingClientCallListener<>(
            listener,
            CallOptions.DEFAULT.withExecutor(Runnable::run),
            runtime,
            Context.ROOT,
            (text, cause) -> {});
    listener.onEvent = event -> direct.request(1);
    for (int i = 0; i < 20_000; i++) {
      direct.onMessage("m");
    }
    direct.onClose(Status.OK, new Metadata());
    direct.request(1);
    assertThat(listener.closes()).isEqualTo(1);
    assertThat(listener.events()).hasSize(20_001);
    assertThat(listener.faults()).isEmpty();
  }

  @Test
  @DisplayName("B3 A rejecting executor is a cancel: upstream is told, one onClose(CANCELLED)")
  void rejectionIsACancel() {
    executor.rejecting = true;
    out.request(1);
    out.onMessage("m");
    out.onClose(Status.OK, new Metadata());
    assertThat(listener.events()).isEmpty();
    fallback.runAll();
    assertThat(listener.events()).containsExactly("close CANCELLED");
    assertThat(listener.status.getDescription()).contains("executor");
    assertThat(upstreamCancels).hasSize(1);
  }

  @Test
  @DisplayName(
      "B3 When the fallback rejects too, the calling thread closes; a failure stays itself")
  void rejectionTwice() {
    executor.rejecting = true;
    fallback.rejecting = true;
    out.onClose(Status.NOT_FOUND, new Metadata());
    assertThat(listener.events()).containsExactly("close NOT_FOUND");
    assertThat(listener.closedBy).isSameAs(Thread.currentThread());
    assertThat(upstreamCancels).isEmpty();
  }

  @Test
  @DisplayName("B5 An error without headers and an OK without messages pass")
  void trailersOnly() {
    out.onClose(Status.INTERNAL, new Metadata());
    executor.runAll();
    assertThat(listener.events()).containsExactly("close INTERNAL");
  }

  @Test
  @DisplayName("B8 A throw from any callback cancels upstream, ends in CANCELLED, nothing follows")
  void throwingCallbacks() {
    for (String at : List.of("headers", "ready", "message 1")) {
      for (boolean error : new boolean[] {true, false}) {
        RecordingListener<String> own = new RecordingListener<>();
        List<Throwable> cancels = new ArrayList<>();
        own.onEvent =
            event -> {
              if (event.equals(at)) {
                if (error) {
                  throw new NoSuchMethodError(at);
                }
                throw new IllegalStateException(at);
              }
            };
        SerializingClientCallListener<String> serial =
            new SerializingClientCallListener<>(
                own,
                CallOptions.DEFAULT.withExecutor(executor),
                runtime,
                Context.ROOT,
                (text, cause) -> {
                  cancels.add(cause);
                  throw new IllegalStateException("upstream is unwell too");
                });
        serial.request(9);
        serial.onHeaders(new Metadata());
        serial.onReady();
        serial.onMessage("1");
        serial.onMessage("2");
        serial.onClose(Status.OK, new Metadata());
        assertThatCode(executor::runAll).doesNotThrowAnyException();
        assertThat(own.events()).endsWith(at, "close CANCELLED").doesNotContain("message 2");
        assertThat(own.status.getCause()).hasMessage(at);
        assertThat(cancels).hasSize(1).first().isSameAs(own.status.getCause());
        serial.onMessage("3");
        serial.onClose(Status.INTERNAL, new Metadata());
        executor.runAll();
        assertThat(own.closes()).isEqualTo(1);
        assertThat(own.faults()).isEmpty();
      }
    }
  }

  @Test
  @DisplayName("B8 A throw after a close from elsewhere leaves that close as it is")
  void throwAfterClose() {
    listener.onEvent =
        event -> {
          if (event.startsWith("message")) {
            assertThat(out.closeNow(Status.CANCELLED.withDescription("user"), new Metadata()))
                .isTrue();
            throw new IllegalStateException("after");
          }
        };
    out.request(1);
    out.onMessage("1");
    executor.runAll();
    assertThat(listener.events()).containsExactly("message 1", "close CANCELLED");
    assertThat(listener.status.getDescription()).isEqualTo("user");
    assertThat(upstreamCancels).isEmpty();
  }

  @Test
  @DisplayName("B9 onReady overtakes messages that wait for demand")
  void readyOvertakesWaitingMessages() {
    out.onMessage("1");
    out.onReady();
    executor.runAll();
    assertThat(listener.events()).containsExactly("ready");
  }

  @Test
  @DisplayName("C7 Callbacks run in the given Context, and the thread gets its own back")
  void contextIsAttached() {
    out.request(1);
    out.onHeaders(new Metadata());
    out.onMessage("1");
    out.onClose(Status.OK, new Metadata());
    executor.runAll();
    assertThat(listener.contexts).extracting(CONTEXT_KEY::get).containsExactly("ann", "ann", "ann");
    assertThat(CONTEXT_KEY.get()).isNull();
  }

  @Test
  @DisplayName("C10 Never more messages than requested; the close waits for the buffer to drain")
  void demandIsHonoured() {
    for (int i = 1; i <= 4; i++) {
      out.onMessage("" + i);
    }
    out.onClose(Status.OK, new Metadata());
    out.request(0);
    executor.runAll();
    assertThat(listener.events()).isEmpty();
    assertThat(out.waiting()).isEqualTo(4);
    out.request(1);
    executor.runAll();
    assertThat(listener.events()).containsExactly("message 1");
    out.request(2);
    executor.runAll();
    assertThat(listener.events()).containsExactly("message 1", "message 2", "message 3");
    out.request(Integer.MAX_VALUE);
    out.request(Integer.MAX_VALUE);
    executor.runAll();
    assertThat(listener.events()).endsWith("message 4", "close OK");
    assertThatThrownBy(() -> out.request(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("C10 An error too comes behind what was buffered; closeNow drops it")
  void deliverThenCloseOrCloseNow() {
    out.onMessage("1");
    out.onClose(Status.UNAVAILABLE, new Metadata());
    executor.runAll();
    assertThat(listener.events()).isEmpty();
    assertThat(out.closeNow(Status.CANCELLED, new Metadata())).isTrue();
    assertThat(out.closeNow(Status.CANCELLED, new Metadata())).isFalse();
    executor.runAll();
    assertThat(listener.events()).containsExactly("close CANCELLED");
    assertThat(out.waiting()).isZero();
    assertThat(out.closeNow(Status.CANCELLED, new Metadata())).isFalse();
  }

  @Test
  @DisplayName("C10 Demand saturates, so that an unbounded consumer stays unbounded")
  void demandSaturates() {
    out.request(Integer.MAX_VALUE);
    out.request(Integer.MAX_VALUE);
    out.request(Integer.MAX_VALUE);
    out.onMessage(null);
    executor.runAll();
    assertThat(listener.events()).containsExactly("message null");
  }
}
