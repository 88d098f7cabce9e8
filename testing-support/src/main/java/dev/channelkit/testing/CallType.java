package dev.channelkit.testing;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The four shapes of a call, each with a method of the suite's own server. */
@SuppressWarnings("ImmutableEnumChecker") // MethodDescriptor is immutable but does not say so
enum CallType {
  UNARY("unary", MethodType.UNARY, "Unary"),
  SERVER_STREAMING("server-streaming", MethodType.SERVER_STREAMING, "ServerStreaming"),
  CLIENT_STREAMING("client-streaming", MethodType.CLIENT_STREAMING, "ClientStreaming"),
  BIDI_STREAMING("bidi-streaming", MethodType.BIDI_STREAMING, "BidiStreaming");

  static final String SERVICE = "dev.channelkit.testing.Conformance";

  private final String label;
  private final MethodDescriptor<String, String> method;

  CallType(String label, MethodType type, String name) {
    this.label = label;
    this.method =
        MethodDescriptor.<String, String>newBuilder()
            .setType(type)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(CallType.SERVICE, name))
            .setRequestMarshaller(Text.MARSHALLER)
            .setResponseMarshaller(Text.MARSHALLER)
            .build();
  }

  MethodDescriptor<String, String> method() {
    return method;
  }

  boolean streamsRequests() {
    return this == CLIENT_STREAMING || this == BIDI_STREAMING;
  }

  boolean streamsResponses() {
    return this == SERVER_STREAMING || this == BIDI_STREAMING;
  }

  /** How many messages a cell sends. */
  int requests() {
    return streamsRequests() ? 3 : 1;
  }

  /** How many messages the server answers, unless its script says none. */
  int responses() {
    return streamsResponses() ? 3 : 1;
  }

  @Override
  public String toString() {
    return label;
  }

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    static final Text MARSHALLER = new Text();

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
