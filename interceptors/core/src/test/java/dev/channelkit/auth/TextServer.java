package dev.channelkit.auth;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Echoes text and keeps the headers of every call; a test says which calls it refuses. */
final class TextServer implements AutoCloseable {
  static final MethodDescriptor.Marshaller<String> TEXT =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(String value) {
          return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
          try {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  static final MethodDescriptor<String, String> UNARY = method("Unary", MethodType.UNARY);
  static final MethodDescriptor<String, String> STREAM =
      method("Stream", MethodType.SERVER_STREAMING);

  /** What a test wants to happen to one call. */
  interface Script {
    /** Null: echo. */
    Refusal onCall(int number, String authorization);
  }

  /** How a call ends instead of an echo. */
  record Refusal(Status status, Metadata trailers, boolean headersFirst, boolean messageFirst) {
    static Refusal of(Status status) {
      return new Refusal(status, new Metadata(), false, false);
    }
  }

  final List<String> authorizations = new CopyOnWriteArrayList<>();
  final List<Metadata> headers = new CopyOnWriteArrayList<>();
  final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile Script script = (number, authorization) -> null;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final String name = InProcessServerBuilder.generateName();
  private final Server server;

  TextServer() {
    this.server = start(InProcessServerBuilder.forName(name));
  }

  TextServer(ServerBuilder<?> builder) {
    this.server = start(builder);
  }

  private Server start(ServerBuilder<?> builder) {
    try {
      return builder.addService((BindableService) this::service).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  TextServer script(Script script) {
    this.script = script;
    return this;
  }

  int calls() {
    return calls.get();
  }

  int port() {
    return server.getPort();
  }

  ManagedChannel channel() {
    return channel(InProcessChannelBuilder.forName(name), b -> b);
  }

  ManagedChannel channel(UnaryOperator<ManagedChannelBuilder<?>> setup) {
    return channel(InProcessChannelBuilder.forName(name), setup);
  }

  ManagedChannel channel(
      ManagedChannelBuilder<?> builder, UnaryOperator<ManagedChannelBuilder<?>> setup) {
    ManagedChannel channel = setup.apply(builder).build();
    channels.add(channel);
    return channel;
  }

  @Override
  public void close() {
    try {
      for (ManagedChannel channel : channels) {
        channel.shutdownNow();
        if (!channel.awaitTermination(10, TimeUnit.SECONDS)) {
          throw new AssertionError("a channel does not end: an applier was left behind");
        }
      }
      server.shutdownNow();
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(type)
        .setFullMethodName("text.Echo/" + name)
        .setRequestMarshaller(TEXT)
        .setResponseMarshaller(TEXT)
        .build();
  }

  private ServerServiceDefinition service() {
    return ServerServiceDefinition.builder("text.Echo")
        .addMethod(UNARY, this::answer)
        .addMethod(STREAM, this::answer)
        .build();
  }

  private ServerCall.Listener<String> answer(ServerCall<String, String> call, Metadata sent) {
    List<String> values = new ArrayList<>();
    Iterable<String> all = sent.getAll(IssuedToken.AUTHORIZATION);
    if (all != null) {
      all.forEach(values::add);
    }
    String authorization = String.join("|", values);
    authorizations.add(authorization);
    headers.add(sent);
    open.incrementAndGet();
    Refusal refusal = script.onCall(calls.incrementAndGet(), authorization);
    if (refusal != null) {
      if (refusal.headersFirst() || refusal.messageFirst()) {
        call.sendHeaders(new Metadata());
      }
      if (refusal.messageFirst()) {
        call.request(1);
        call.sendMessage("partial");
      }
      open.decrementAndGet();
      call.close(refusal.status(), refusal.trailers());
      return new ServerCall.Listener<>() {};
    }
    call.request(1);
    return new ServerCall.Listener<>() {
      private String text = "";

      @Override
      public void onMessage(String message) {
        text = message;
      }

      @Override
      public void onHalfClose() {
        call.sendHeaders(new Metadata());
        call.sendMessage("echo " + text);
        call.close(Status.OK, new Metadata());
      }

      @Override
      public void onCancel() {
        open.decrementAndGet();
      }

      @Override
      public void onComplete() {
        open.decrementAndGet();
      }
    };
  }
}
