package dev.channelkit.testing;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An in-process server on the caller's thread that follows the script of one cell. */
final class CellServer implements AutoCloseable {
  static final Metadata.Key<String> HEADER =
      Metadata.Key.of("conformance-header", Metadata.ASCII_STRING_MARSHALLER);
  static final Metadata.Key<String> TRAILER =
      Metadata.Key.of("conformance-trailer", Metadata.ASCII_STRING_MARSHALLER);

  /** On a bidi-streaming call these answer each message as it comes. */
  private static final Set<Ending.Script> ECHOING =
      EnumSet.of(
          Ending.Script.ANSWER, Ending.Script.FAIL_AFTER_MESSAGES, Ending.Script.ANSWER_THEN_HOLD);

  private final Ending.Script script;
  private final AtomicInteger open = new AtomicInteger();
  private final List<Exchange> exchanges = new CopyOnWriteArrayList<>();
  private final String name = InProcessServerBuilder.generateName();
  private final Server server;

  CellServer(Ending.Script script) {
    this.script = script;
    ServiceDescriptor.Builder service = ServiceDescriptor.newBuilder(CallType.SERVICE);
    for (CallType type : CallType.values()) {
      service.addMethod(type.method());
    }
    ServerServiceDefinition.Builder methods = ServerServiceDefinition.builder(service.build());
    for (CallType type : CallType.values()) {
      methods.addMethod(type.method(), new Handler(type));
    }
    server =
        InProcessServerBuilder.forName(name).directExecutor().addService(methods.build()).build();
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String name() {
    return name;
  }

  int openCalls() {
    return open.get();
  }

  /** Calls that arrived, in order. */
  List<Exchange> exchanges() {
    return exchanges;
  }

  /** Whether a call has arrived and waits for what ends it. */
  boolean isHolding(boolean halfClosed) {
    return exchanges.stream().anyMatch(e -> !halfClosed || e.halfClosed);
  }

  long halfClosedCalls() {
    return exchanges.stream().filter(e -> e.halfClosed).count();
  }

  /** Answers the calls that wait for it. */
  void release() {
    exchanges.forEach(Exchange::finish);
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private final class Handler implements ServerCallHandler<String, String> {
    private final CallType type;

    Handler(CallType type) {
      this.type = type;
    }

    @Override
    public ServerCall.Listener<String> startCall(
        ServerCall<String, String> call, Metadata headers) {
      open.incrementAndGet();
      Exchange exchange = new Exchange(type, call, headers);
      exchanges.add(exchange);
      exchange.begin();
      return exchange;
    }
  }

  /** One call as the server sees it. */
  final class Exchange extends ServerCall.Listener<String> {
    final Metadata headers;
    final List<String> received = new CopyOnWriteArrayList<>();
    volatile boolean halfClosed;

    private final CallType type;
    private final ServerCall<String, String> call;
    private final AtomicBoolean headersSent = new AtomicBoolean();
    private final AtomicBoolean finished = new AtomicBoolean();

    Exchange(CallType type, ServerCall<String, String> call, Metadata headers) {
      this.type = type;
      this.call = call;
      this.headers = headers;
    }

    void begin() {
      if (script == Ending.Script.HOLD) {
        sendHeaders();
      }
      if (script == Ending.Script.TRAILERS_ONLY && type.streamsRequests()) {
        finish();
      }
      call.request(1);
    }

    @Override
    public void onMessage(String message) {
      received.add(message);
      if (type == CallType.BIDI_STREAMING && ECHOING.contains(script)) {
        sendHeaders();
        call.sendMessage("echo of " + message);
      }
      call.request(1);
    }

    @Override
    public void onHalfClose() {
      halfClosed = true;
      if (script != Ending.Script.HOLD && script != Ending.Script.ON_RELEASE) {
        finish();
      }
    }

    @Override
    public void onCancel() {
      open.decrementAndGet();
    }

    @Override
    public void onComplete() {
      open.decrementAndGet();
    }

    private void sendHeaders() {
      if (headersSent.compareAndSet(false, true)) {
        Metadata responseHeaders = new Metadata();
        responseHeaders.put(HEADER, "from the server");
        call.sendHeaders(responseHeaders);
      }
    }

    private void finish() {
      if (!finished.compareAndSet(false, true)) {
        return;
      }
      Metadata trailers = new Metadata();
      trailers.put(TRAILER, "from the server");
      Status failure = Status.FAILED_PRECONDITION.withDescription("failed on purpose");
      if (script == Ending.Script.TRAILERS_ONLY) {
        call.close(failure, trailers);
        return;
      }
      sendHeaders();
      boolean echoed = type == CallType.BIDI_STREAMING && ECHOING.contains(script);
      if (script != Ending.Script.ANSWER_NOTHING && !echoed) {
        for (int i = 0; i < type.responses(); i++) {
          call.sendMessage("answer " + i + " to " + received);
        }
      }
      if (script == Ending.Script.ANSWER_THEN_HOLD) {
        return;
      }
      call.close(script == Ending.Script.FAIL_AFTER_MESSAGES ? failure : Status.OK, trailers);
    }
  }
}
