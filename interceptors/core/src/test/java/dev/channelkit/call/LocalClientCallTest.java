package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.channelkit.testing.ManualClock;
import dev.channelkit.testing.ManualScheduler;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LocalClientCallTest {
  private static final Metadata.Key<String> KEY =
      Metadata.Key.of("k", Metadata.ASCII_STRING_MARSHALLER);
  private static final Context.Key<String> CONTEXT_KEY = Context.key("user");

  private final ManualClock clock = new ManualClock();
  private final ManualScheduler scheduler = new ManualScheduler(clock);
  private final QueuedExecutor executor = new QueuedExecutor();
  private final CallRuntime runtime = CallRuntime.of(executor, scheduler);
  private final RecordingListener<String> listener = new RecordingListener<>();

  private CallOptions deadline(Duration deadline) {
    return CallOptions.DEFAULT.withDeadline(clock.deadlineAfter(deadline));
  }

  private LocalClientCall<String, String> answering(String... messages) {
    return LocalClientCall.answering(CallOptions.DEFAULT, runtime, List.of(messages));
  }

  private void assertEvents(String... events) {
    executor.runAll();
    assertThat(listener.events()).containsExactly(events);
    assertThat(listener.faults()).isEmpty();
  }

  @Test
  @DisplayName("C8 An answer waits for half-close and for request, then comes whole")
  void answerWaitsForHalfCloseAndDemand() {
    LocalClientCall<String, String> call =
        LocalClientCall.answering(CallOptions.DEFAULT, runtime, "a");
    call.start(listener, new Metadata());
    call.request(2);
    call.sendMessage("q");
    assertEvents();
    call.halfClose();
    assertThat(listener.events()).isEmpty();
    assertEvents("headers", "message a", "close OK");
  }

  @Test
  @DisplayName("C8 Half-close before any request: no message until it is requested")
  void demandAfterHalfClose() {
    LocalClientCall<String, String> call = answering("a");
    call.start(listener, new Metadata());
    call.sendMessage("q");
    call.halfClose();
    assertEvents("headers");
    call.request(1);
    assertEvents("headers", "message a", "close OK");
  }

  @Test
  @DisplayName("C8 Cancel between start and half-close gives CANCELLED, never OK")
  void cancelBeforeHalfClose() {
    for (int step = 0; step <= 4; step++) {
      RecordingListener<String> own = new RecordingListener<>();
      LocalClientCall<String, String> call =
          LocalClientCall.answering(deadline(Duration.ofSeconds(1)), runtime, "a");
      int at = step;
      Runnable[] script = {
        () -> call.start(own, new Metadata()),
        () -> call.request(2),
        () -> call.sendMessage("q"),
        call::halfClose
      };
      for (int i = 0; i <= script.length; i++) {
        if (i == at) {
          call.cancel(null, null);
          call.cancel("again", null);
        }
        if (i < script.length) {
          script[i].run();
        }
      }
      executor.runAll();
      assertThat(own.events()).containsExactly("close CANCELLED");
      assertThat(scheduler.pendingCount()).isZero();
    }
  }

  @Test
  @DisplayName("C8 B10 Every call gets metadata of its own, headers and trailers copied")
  void freshMetadata() {
    Metadata headers = new Metadata();
    headers.put(KEY, "v");
    for (int i = 0; i < 2; i++) {
      RecordingListener<String> own = new RecordingListener<>();
      LocalClientCall<String, String> call =
          LocalClientCall.answering(
              MethodType.UNARY, CallOptions.DEFAULT, runtime, headers, List.of("a"));
      call.start(own, new Metadata());
      call.request(2);
      call.halfClose();
      executor.runAll();
      assertThat(own.metadata).hasSize(2).doesNotHaveDuplicates().doesNotContain(headers);
      assertThat(own.metadata.get(0).getAll(KEY)).containsExactly("v");
      own.metadata.get(0).put(KEY, "the application's");
    }
  }

  @Test
  @DisplayName("C8 A failure closes although only start was called, and A6 the rest is a no-op")
  void failureNeedsOnlyStart() {
    Metadata trailers = new Metadata();
    trailers.put(KEY, "v");
    LocalClientCall<String, String> call =
        LocalClientCall.failing(
            deadline(Duration.ofSeconds(1)), runtime, Status.NOT_FOUND, trailers);
    call.start(listener, new Metadata());
    assertThat(listener.events()).as("C9 never inside start").isEmpty();
    assertThat(scheduler.pendingCount()).isZero();
    assertEvents("close NOT_FOUND");
    assertThat(listener.trailers.get(KEY)).isEqualTo("v");
    assertThat(listener.trailers).isNotSameAs(trailers);
    call.request(2);
    call.sendMessage("q");
    call.setMessageCompression(true);
    call.halfClose();
    call.halfClose();
    call.cancel("late", null);
    assertThat(call.isReady()).isFalse();
    assertThat(call.getAttributes()).isEqualTo(Attributes.EMPTY);
    assertEvents("close NOT_FOUND");
  }

  @Test
  @DisplayName("C8 A client that streams is answered from start on, without half-close")
  void streamingClientIsAnsweredAtOnce() {
    for (MethodType type : MethodType.values()) {
      RecordingListener<String> own = new RecordingListener<>();
      LocalClientCall<String, String> call =
          LocalClientCall.answering(
              type, CallOptions.DEFAULT, runtime, new Metadata(), List.of("a"));
      call.start(own, new Metadata());
      call.request(2);
      executor.runAll();
      assertThat(own.closes()).isEqualTo(type.clientSendsOneMessage() ? 0 : 1);
      call.sendMessage("q");
      call.halfClose();
      executor.runAll();
      assertThat(own.events()).containsExactly("headers", "message a", "close OK");
    }
  }

  @Test
  @DisplayName("C10 request(n) is honoured exactly, also from inside onMessage")
  void demandIsHonoured() {
    LocalClientCall<String, String> call = answering("a", "b", "c");
    listener.onEvent =
        event -> {
          if (event.equals("message b")) {
            call.request(1);
          }
        };
    call.start(listener, new Metadata());
    call.halfClose();
    call.request(1);
    assertEvents("headers", "message a");
    call.request(1);
    assertEvents("headers", "message a", "message b", "message c", "close OK");
  }

  @Test
  @DisplayName("C11 An answer of one message is complete although the stub requests two")
  void unaryRequestsTwo() {
    LocalClientCall<String, String> call = answering("a");
    call.start(listener, new Metadata());
    call.request(2);
    call.halfClose();
    assertEvents("headers", "message a", "close OK");
  }

  @Test
  @DisplayName("C8 An answer without messages is OK after half-close, with no request")
  void emptyAnswer() {
    LocalClientCall<String, String> call = answering();
    call.start(listener, new Metadata());
    assertEvents();
    call.halfClose();
    assertEvents("headers", "close OK");
  }

  @Test
  @DisplayName("C5 The deadline ends an answer that waits; the timer lives only while it waits")
  void deadline() {
    LocalClientCall<String, String> call =
        LocalClientCall.answering(deadline(Duration.ofSeconds(1)), runtime, List.of("a", "b"));
    call.start(listener, new Metadata());
    call.request(1);
    call.halfClose();
    assertThat(scheduler.pendingCount()).isEqualTo(1);
    assertEvents("headers", "message a");
    clock.advance(Duration.ofSeconds(1));
    assertEvents("headers", "message a", "close DEADLINE_EXCEEDED");
    assertThat(listener.status.getDescription()).contains("to request more messages");

    RecordingListener<String> served = new RecordingListener<>();
    LocalClientCall<String, String> other =
        LocalClientCall.answering(deadline(Duration.ofSeconds(1)), runtime, "a");
    other.start(served, new Metadata());
    other.halfClose();
    other.request(1);
    assertThat(scheduler.pendingCount()).isZero();
    clock.advance(Duration.ofSeconds(9));
    executor.runAll();
    assertThat(served.events()).containsExactly("headers", "message a", "close OK");
  }

  @Test
  @DisplayName("C6 A cancelled Context ends an answer that waits; its listener is removed")
  void context() throws Exception {
    Context.CancellableContext context =
        Context.current().withValue(CONTEXT_KEY, "ann").withCancellation();
    LocalClientCall<String, String> call = context.call(() -> answering("a"));
    call.start(listener, new Metadata());
    assertThat(Contexts.listeners(context)).isEqualTo(1);
    context.cancel(new IllegalStateException("user left"));
    assertEvents("close CANCELLED");
    assertThat(listener.status.getCause()).hasMessage("user left");
    assertThat(listener.contexts).extracting(CONTEXT_KEY::get).containsExactly("ann");

    Context.CancellableContext served = Context.current().withCancellation();
    LocalClientCall<String, String> other = served.call(() -> answering("a"));
    other.start(new RecordingListener<>(), new Metadata());
    other.request(1);
    other.halfClose();
    assertThat(Contexts.listeners(served)).isZero();
    served.cancel(null);
  }

  @Test
  @DisplayName("C6 A Context cancelled before start and a passed deadline end the call at start")
  void endedBeforeStart() throws Exception {
    Context.CancellableContext context = Context.current().withCancellation();
    LocalClientCall<String, String> call = context.call(() -> answering("a"));
    context.cancel(null);
    call.start(listener, new Metadata());
    call.request(2);
    call.halfClose();
    assertEvents("close CANCELLED");

    RecordingListener<String> own = new RecordingListener<>();
    LocalClientCall<String, String> late =
        LocalClientCall.answering(deadline(Duration.ofSeconds(-1)), runtime, "a");
    late.start(own, new Metadata());
    late.request(2);
    late.halfClose();
    executor.runAll();
    assertThat(own.events()).containsExactly("close DEADLINE_EXCEEDED");
  }

  @Test
  @DisplayName(
      "C8 An answer that waits for nothing is not OK after its Context or deadline has ended")
  void endedBeforeStartAndNothingToWaitFor() throws Exception {
    Context.CancellableContext context = Context.current().withCancellation();
    LocalClientCall<String, String> call = context.call(() -> empty(CallOptions.DEFAULT));
    context.cancel(null);
    call.start(listener, new Metadata());
    assertEvents("close CANCELLED");

    RecordingListener<String> own = new RecordingListener<>();
    empty(deadline(Duration.ofSeconds(-1))).start(own, new Metadata());
    executor.runAll();
    assertThat(own.events()).containsExactly("close DEADLINE_EXCEEDED");

    RecordingListener<String> inTime = new RecordingListener<>();
    empty(deadline(Duration.ofSeconds(1))).start(inTime, new Metadata());
    executor.runAll();
    assertThat(inTime.events()).containsExactly("headers", "close OK");
    assertThat(scheduler.pendingCount()).isZero();
  }

  private LocalClientCall<String, String> empty(CallOptions options) {
    return LocalClientCall.answering(
        MethodType.BIDI_STREAMING, options, runtime, new Metadata(), List.of());
  }

  @Test
  @DisplayName("B8 A listener that throws ends in one onClose(CANCELLED), nothing stays armed")
  void throwingListener() {
    listener.onEvent =
        event -> {
          if (event.startsWith("message")) {
            throw new NoSuchMethodError("boom");
          }
        };
    LocalClientCall<String, String> call =
        LocalClientCall.answering(deadline(Duration.ofSeconds(1)), runtime, List.of("a", "b"));
    call.start(listener, new Metadata());
    call.halfClose();
    call.request(1);
    assertEvents("headers", "message a", "close CANCELLED");
    assertThat(scheduler.pendingCount()).isZero();
    assertThat(listener.status.getCause()).isInstanceOf(NoSuchMethodError.class);
  }

  @Test
  @DisplayName("A4 Illegal use is refused as by a real call")
  void illegalUse() {
    LocalClientCall<String, String> call = answering("a");
    assertThatThrownBy(() -> call.request(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.sendMessage("q")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(call::halfClose).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.setMessageCompression(true))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.start(null, new Metadata()))
        .isInstanceOf(NullPointerException.class);
    call.start(listener, new Metadata());
    assertThatThrownBy(() -> call.start(listener, new Metadata()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> call.request(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> call.sendMessage(null)).isInstanceOf(NullPointerException.class);
    call.halfClose();
    assertThatThrownBy(() -> call.sendMessage("q")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(call::halfClose).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("Bad arguments are refused when the call is made")
  void badArguments() {
    assertThatThrownBy(
            () -> LocalClientCall.failing(CallOptions.DEFAULT, runtime, Status.OK, new Metadata()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("OK");
    assertThatThrownBy(
            () ->
                LocalClientCall.answering(
                    CallOptions.DEFAULT, runtime, Arrays.asList("a", (String) null)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> LocalClientCall.answering(CallOptions.DEFAULT, runtime, (String) null))
        .isInstanceOf(NullPointerException.class);
    assertThatCode(() -> answering().cancel(null, null)).doesNotThrowAnyException();
  }
}
