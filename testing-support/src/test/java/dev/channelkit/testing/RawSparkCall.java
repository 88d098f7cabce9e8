package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** One AnalyzePlan(spark_version) encoded by hand, so that no generated class is needed. */
final class RawSparkCall {
  static final MethodDescriptor<byte[], byte[]> ANALYZE_PLAN =
      ScriptedServer.bytesMethod(
          MethodDescriptor.MethodType.UNARY, "spark.connect.SparkConnectService/AnalyzePlan");

  private RawSparkCall() {}

  static ManagedChannel channel(int port) {
    return ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
  }

  /** The raw answer, which holds the version as text. */
  static String sparkVersion(Channel channel, String token) {
    return sparkVersion(channel, token, CallOptions.DEFAULT);
  }

  static String sparkVersion(Channel channel, String token, CallOptions options) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    byte[] answer =
        ClientCalls.blockingUnaryCall(
            ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(headers)),
            ANALYZE_PLAN,
            options.withDeadlineAfter(60, TimeUnit.SECONDS),
            request());
    return new String(answer, StandardCharsets.ISO_8859_1);
  }

  private static byte[] request() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    field(out, 1, UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII)); // session_id
    ByteArrayOutputStream user = new ByteArrayOutputStream();
    field(user, 1, "tester".getBytes(StandardCharsets.US_ASCII));
    field(out, 2, user.toByteArray()); // user_context
    field(out, 10, new byte[0]); // spark_version
    return out.toByteArray();
  }

  private static void field(ByteArrayOutputStream out, int number, byte[] value) {
    out.write(number << 3 | 2);
    out.write(value.length);
    out.writeBytes(value);
  }
}
