package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ScriptedServerTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final MethodDescriptor<byte[], byte[]> UNARY =
      ScriptedServer.bytesMethod(MethodDescriptor.MethodType.UNARY, "test.Service/Unary");
  private static final MethodDescriptor<byte[], byte[]> STREAM =
      ScriptedServer.bytesMethod(MethodDescriptor.MethodType.SERVER_STREAMING, "test.Service/List");
  private static final Metadata.Key<String> KEY =
      Metadata.Key.of("k", Metadata.ASCII_STRING_MARSHALLER);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String unary(ManagedChannel channel, String request) {
    return text(
        ClientCalls.blockingUnaryCall(
            channel,
            UNARY,
            CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS),
            bytes(request)));
  }

  /** Everything a call's listener hears, as text. */
  private static final class Heard extends ClientCall.Listener<byte[]> {
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    volatile Metadata trailers;

    @Override
    public void onHeaders(Metadata headers) {
      events.add("headers " + headers.get(KEY));
    }

    @Override
    public void onMessage(byte[] message) {
      events.add("message " + text(message));
    }

    @Override
    public void onClose(Status status, Metadata last) {
      trailers = last;
      events.add("close " + status.getCode());
    }

    String next() {
      try {
        String event = events.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(event).as("an event").isNotNull();
        return event;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static ClientCall<byte[], byte[]> start(
      ManagedChannel channel, MethodDescriptor<byte[], byte[]> method, Heard heard) {
    ClientCall<byte[], byte[]> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(heard, new Metadata());
    return call;
  }

  @Test
  @DisplayName("answers in process and on TCP, and records method, headers, messages and end")
  void answersAndRecords() {
    for (ScriptedServer server : List.of(ScriptedServer.inProcess(), ScriptedServer.onPort(0))) {
      try (server) {
        server.on("test.Service/Unary", Script.answer(bytes("one")), Script.answer(bytes("more")));
        ManagedChannel channel = server.channel();
        assertThat(unary(channel, "a")).isEqualTo("one");
        assertThat(unary(channel, "b")).isEqualTo("more");
        assertThat(unary(channel, "c")).isEqualTo("more");
        server.awaitNoOpenCalls(SOON);
        assertThat(server.awaitCalls(3, SOON)).hasSize(3);
        RecordedCall call = server.calls("test.Service/Unary").get(0);
        assertThat(call.messages())
            .singleElement()
            .satisfies(m -> assertThat(text(m)).isEqualTo("a"));
        assertThat(call.halfClosed()).isTrue();
        assertThat(call.cancelled()).isFalse();
        assertThat(call.messagesSent()).isEqualTo(1);
        assertThat(call.answered()).contains(Status.OK);
        assertThat(call.endedAt()).isPresent();
        assertThat(call.authority()).isNotEmpty();
        assertThat(call.toString()).contains("1 in, half-closed, 1 out, OK");
      }
      server.close();
    }
  }

  @Test
  @DisplayName("a method without a script is UNIMPLEMENTED, by name, and is recorded")
  void strict() {
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.on("test.Service/Other", Script.answer());
      assertThatThrownBy(() -> unary(server.channel(), "a"))
          .isInstanceOf(StatusRuntimeException.class)
          .hasMessageContaining("UNIMPLEMENTED")
          .hasMessageContaining("no script for test.Service/Unary")
          .hasMessageContaining("test.Service/Other");
      assertThat(server.calls()).hasSize(1);
    }
  }

  @Test
  @DisplayName("fails at message k with status and trailers")
  void failsAfterMessages() {
    Metadata trailers = new Metadata();
    trailers.put(KEY, "t");
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.on(
          "test.Service/List",
          Script.begin().message(bytes("1")).message(bytes("2")).fail(Status.INTERNAL, trailers));
      Heard heard = new Heard();
      ClientCall<byte[], byte[]> call = start(server.channel(), STREAM, heard);
      call.request(10);
      call.sendMessage(bytes("q"));
      call.halfClose();
      assertThat(List.of(heard.next(), heard.next(), heard.next(), heard.next()))
          .containsExactly("headers null", "message 1", "message 2", "close INTERNAL");
      assertThat(heard.trailers.get(KEY)).isEqualTo("t");
      server.awaitNoOpenCalls(SOON);
    }
  }

  @Test
  @DisplayName("trailers only has no headers; an OK without a message has")
  void trailersOnly() {
    try (ScriptedServer server = ScriptedServer.onPort(0)) {
      server.on(
          "test.Service/List",
          Script.failing(Status.UNAVAILABLE),
          Script.begin().headers(headers("h")).ok());
      ManagedChannel channel = server.channel();
      Heard failed = new Heard();
      ClientCall<byte[], byte[]> call = start(channel, STREAM, failed);
      call.halfClose();
      assertThat(failed.next()).isEqualTo("close UNAVAILABLE");
      Heard empty = new Heard();
      start(channel, STREAM, empty).halfClose();
      assertThat(List.of(empty.next(), empty.next())).containsExactly("headers h", "close OK");
    }
  }

  private static Metadata headers(String value) {
    Metadata headers = new Metadata();
    headers.put(KEY, value);
    return headers;
  }

  @Test
  @DisplayName("delays follow the manual scheduler, and so do the recorded times")
  void virtualDelay() {
    ManualScheduler scheduler = new ManualScheduler();
    try (ScriptedServer server = ScriptedServer.builder().scheduler(scheduler).start()) {
      server.on(
          "test.Service/Unary",
          Script.begin().delay(Duration.ofMinutes(5)).message(bytes("late")).ok());
      Heard heard = new Heard();
      ClientCall<byte[], byte[]> call = start(server.channel(), UNARY, heard);
      call.request(2);
      call.sendMessage(bytes("q"));
      call.halfClose();
      Awaitility.await().until(() -> scheduler.pendingCount() == 1);
      scheduler.clock().advance(Duration.ofSeconds(299));
      assertThat(heard.events).isEmpty();
      scheduler.clock().advance(Duration.ofSeconds(1));
      assertThat(List.of(heard.next(), heard.next(), heard.next()))
          .containsExactly("headers null", "message late", "close OK");
      server.awaitNoOpenCalls(SOON);
      RecordedCall record = server.calls().get(0);
      assertThat(record.startedAt()).isEqualTo(Instant.parse(ManualClock.DEFAULT_START));
      assertThat(record.endedAt()).contains(record.startedAt().plus(Duration.ofMinutes(5)));
    }
  }

  @Test
  @DisplayName("a cancelled call gives its delay back")
  void cancelDuringDelay() {
    ManualScheduler scheduler = new ManualScheduler();
    try (ScriptedServer server = ScriptedServer.builder().scheduler(scheduler).start()) {
      server.on("test.Service/Unary", Script.begin().atStart().delay(Duration.ofDays(1)).ok());
      ClientCall<byte[], byte[]> call = start(server.channel(), UNARY, new Heard());
      Awaitility.await().until(() -> scheduler.pendingCount() == 1);
      assertThat(server.openCalls()).isEqualTo(1);
      call.cancel("enough", null);
      server.awaitNoOpenCalls(SOON);
      Awaitility.await().until(() -> scheduler.pendingCount() == 0);
      assertThat(server.calls().get(0).cancelled()).isTrue();
      assertThat(server.calls().get(0).answered()).isEmpty();
    }
  }

  @Test
  @DisplayName("a hold lasts until it is released, also when it was released before")
  void hold() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.on(
          "test.Service/Unary", Script.begin().hold(gate).message(bytes("held")).hold(gate).ok());
      ManagedChannel channel = server.channel();
      CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> unary(channel, "q"));
      server.awaitCalls(1, SOON);
      Awaitility.await().until(() -> server.calls().get(0).halfClosed());
      assertThat(answer).isNotDone();
      gate.complete(null);
      assertThat(answer).succeedsWithin(SOON).isEqualTo("held");
      assertThat(unary(channel, "q")).isEqualTo("held");
    }
  }

  @Test
  @DisplayName("never leaves the call open until the client gives up, and says which are open")
  void never() {
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.on("test.Service/List", Script.begin().message(bytes("1")).never());
      Heard heard = new Heard();
      ClientCall<byte[], byte[]> call = start(server.channel(), STREAM, heard);
      call.request(5);
      call.halfClose();
      assertThat(heard.next()).startsWith("headers");
      assertThat(heard.next()).isEqualTo("message 1");
      assertThatThrownBy(() -> server.awaitNoOpenCalls(Duration.ofMillis(1)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("test.Service/List{0 in, half-closed, 1 out, open}");
      call.cancel("enough", null);
      server.awaitNoOpenCalls(SOON);
      assertThatThrownBy(() -> server.awaitCalls(2, Duration.ofMillis(1)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("2 calls did not arrive");
    }
  }

  @Test
  @DisplayName("messages wait for the client's demand")
  void demand() {
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      Script.Builder script = Script.begin();
      for (int i = 0; i < 100; i++) {
        script.message(bytes("" + i));
      }
      server.on("test.Service/List", script.ok());
      Heard heard = new Heard();
      ClientCall<byte[], byte[]> call = start(server.channel(), STREAM, heard);
      call.halfClose();
      Awaitility.await().until(() -> server.calls().size() == 1);
      List<String> all = new ArrayList<>();
      call.request(1);
      assertThat(heard.next()).startsWith("headers");
      for (int i = 0; i < 100; i++) {
        all.add(heard.next());
        assertThat(server.calls().get(0).messagesSent()).isLessThanOrEqualTo(i + 3);
        call.request(1);
      }
      assertThat(all).hasSize(100).last().isEqualTo("message 99");
      assertThat(heard.next()).isEqualTo("close OK");
    }
  }

  @Test
  @DisplayName("a script may begin at the start or at the first message of a long request")
  void triggers() {
    MethodDescriptor<byte[], byte[]> bidi =
        ScriptedServer.bytesMethod(MethodDescriptor.MethodType.BIDI_STREAMING, "test.Service/Bidi");
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.on(
          "test.Service/Bidi",
          Script.begin().atStart().message(bytes("s")).ok(),
          Script.begin().atFirstMessage().message(bytes("m")).ok());
      ManagedChannel channel = server.channel();
      Heard first = new Heard();
      start(channel, bidi, first).request(5);
      assertThat(first.next()).startsWith("headers");
      assertThat(first.next()).isEqualTo("message s");
      assertThat(first.next()).isEqualTo("close OK");
      Heard second = new Heard();
      ClientCall<byte[], byte[]> call = start(channel, bidi, second);
      call.request(5);
      server.awaitCalls(2, SOON);
      call.sendMessage(bytes("x"));
      assertThat(second.next()).startsWith("headers");
      assertThat(second.next()).isEqualTo("message m");
    }
  }

  @Test
  @DisplayName("a choice per call sees the headers; one that throws ends the call with INTERNAL")
  void choice() {
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.onEach(
          "test.Service/List",
          call ->
              "good".equals(call.headers().get(KEY))
                  ? Script.answer(bytes("in"))
                  : Script.failing(Status.UNAUTHENTICATED));
      server.onEach(
          "test.Service/Unary",
          call -> {
            throw new IllegalStateException("my choice");
          });
      ManagedChannel channel = server.channel();
      Iterator<byte[]> answers =
          ClientCalls.blockingServerStreamingCall(
              ClientInterceptors.intercept(
                  channel, MetadataUtils.newAttachHeadersInterceptor(headers("good"))),
              STREAM,
              CallOptions.DEFAULT,
              bytes("q"));
      assertThat(text(answers.next())).isEqualTo("in");
      Iterator<byte[]> refused =
          ClientCalls.blockingServerStreamingCall(channel, STREAM, CallOptions.DEFAULT, bytes("q"));
      assertThatThrownBy(refused::hasNext).hasMessageContaining("UNAUTHENTICATED");
      assertThatThrownBy(() -> unary(channel, "q"))
          .hasMessageContaining("INTERNAL")
          .hasMessageContaining("my choice");
    }
  }

  @Test
  @DisplayName("a thousand calls from many threads leave none open")
  void manyCalls() {
    try (ScriptedServer server = ScriptedServer.inProcess()) {
      server.on("test.Service/Unary", Script.answer(bytes("x")));
      ManagedChannel channel = server.channel();
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        answers.add(CompletableFuture.supplyAsync(() -> unary(channel, "q")));
      }
      answers.forEach(answer -> assertThat(answer.join()).isEqualTo("x"));
      server.awaitNoOpenCalls(SOON);
      assertThat(server.calls()).hasSize(1_000);
    }
  }

  @Test
  @DisplayName("close cancels what is open, and bad input is refused")
  void closeAndBadInput() {
    Heard heard = new Heard();
    ScriptedServer server = ScriptedServer.onPort(0);
    server.on("test.Service/Unary", Script.begin().never());
    ClientCall<byte[], byte[]> call = start(server.channel(), UNARY, heard);
    call.request(1);
    // A client on Netty sends nothing of a unary call before its message.
    call.sendMessage(bytes("q"));
    call.halfClose();
    server.awaitCalls(1, SOON);
    assertThatThrownBy(() -> ScriptedServer.onPort(server.port()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("port " + server.port() + ": is it taken?");
    server.close();
    assertThat(heard.next()).startsWith("close");
    server.awaitNoOpenCalls(SOON);

    assertThatThrownBy(() -> ScriptedServer.builder().port(-1)).hasMessageContaining("port");
    assertThatThrownBy(() -> server.on("Unary", Script.answer()))
        .hasMessageContaining("fullMethodName");
    assertThatThrownBy(() -> Script.begin().delay(Duration.ofNanos(-1)))
        .hasMessageContaining("delay");
    assertThatThrownBy(() -> Script.begin().message(bytes("x")).headers(new Metadata()))
        .hasMessageContaining("headers");
    try (ScriptedServer inProcess = ScriptedServer.inProcess()) {
      assertThatThrownBy(inProcess::port).hasMessageContaining("channel()");
    }
  }

  @Test
  @DisplayName("on TCP nobody but this machine can connect")
  void loopbackOnly() {
    try (ScriptedServer server = ScriptedServer.onPort(0)) {
      assertThat(server.addresses())
          .isNotEmpty()
          .allSatisfy(
              address ->
                  assertThat(((InetSocketAddress) address).getAddress().isLoopbackAddress())
                      .isTrue());
    }
  }
}
