package dev.channelkit;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** An in-process server of text: answers each request with itself, then ends as it was told to. */
final class TextServer implements AutoCloseable {
  static final MethodDescriptor<String, String> UNARY = method("Unary", MethodType.UNARY);
  static final MethodDescriptor<String, String> STREAM =
      method("Stream", MethodType.SERVER_STREAMING);

  final List<Metadata> seenHeaders = new CopyOnWriteArrayList<>();
  volatile int answers = 1;
  volatile Status end = Status.OK;
  volatile Metadata trailers = new Metadata();

  private final String name = InProcessServerBuilder.generateName();
  private final Server server;
  private final List<ManagedChannel> channels = new CopyOnWriteArrayList<>();

  TextServer() throws IOException {
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(
                ServerServiceDefinition.builder("test.Text")
                    .addMethod(UNARY, handler())
                    .addMethod(STREAM, handler())
                    .build())
            .build()
            .start();
  }

  InProcessChannelBuilder channelBuilder() {
    return InProcessChannelBuilder.forName(name).directExecutor();
  }

  ManagedChannel channel() {
    return closedLater(channelBuilder().build());
  }

  ManagedChannel closedLater(ManagedChannel channel) {
    channels.add(channel);
    return channel;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.shutdownNow();
    try {
      if (!server.awaitTermination(10, TimeUnit.SECONDS)) {
        throw new AssertionError("a call is still open on the server");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the server ends", e);
    }
  }

  private ServerCallHandler<String, String> handler() {
    return (call, headers) -> {
      seenHeaders.add(headers);
      call.request(2);
      return new ServerCall.Listener<>() {
        private String request = "";

        @Override
        public void onMessage(String message) {
          request = message;
        }

        @Override
        public void onHalfClose() {
          if (answers > 0) {
            call.sendHeaders(new Metadata());
          }
          for (int i = 0; i < answers; i++) {
            call.sendMessage(request);
          }
          Metadata own = new Metadata();
          own.merge(trailers);
          call.close(end, own);
        }
      };
    };
  }

  private static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(type)
        .setFullMethodName("test.Text/" + name)
        .setRequestMarshaller(new TextMarshaller())
        .setResponseMarshaller(new TextMarshaller())
        .build();
  }

  private static final class TextMarshaller implements MethodDescriptor.Marshaller<String> {
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
  }
}
