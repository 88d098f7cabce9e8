package dev.channelkit.examples.bench;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.channelkit.call.SessionKey;
import dev.channelkit.spark.SparkSessions;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;
import org.apache.spark.connect.proto.AnalyzePlanRequest;
import org.apache.spark.connect.proto.Plan;
import org.apache.spark.connect.proto.Range;
import org.apache.spark.connect.proto.Relation;
import org.apache.spark.connect.proto.UserContext;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The user and the session of a request, by kind of message, against looking the fields up by name.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SessionKeyBenchmark {
  private final AnalyzePlanRequest message =
      AnalyzePlanRequest.newBuilder()
          .setSessionId("0f3c8a52-6f0e-4a0b-9b0e-2f6d1c9b7a11")
          .setUserContext(UserContext.newBuilder().setUserId("alice").setUserName("alice"))
          .setClientType("_SPARK_CONNECT_SCALA spark/4.2.0 scala/2.13.17 jvm/17.0.15 os/linux")
          .setClientObservedServerSideSessionId("7b0c2a19-93a4-4c3e-8f5e-5d2f1f0a9c77")
          .setSchema(
              AnalyzePlanRequest.Schema.newBuilder()
                  .setPlan(
                      Plan.newBuilder()
                          .setRoot(
                              Relation.newBuilder()
                                  .setRange(Range.newBuilder().setEnd(1000).setStep(1)))))
          .build();
  private final Message dynamicMessage = dynamicCopy(message);
  private final byte[] encoded = message.toByteArray();
  private final MethodDescriptor<byte[], byte[]> method =
      Bytes.method("spark.connect.SparkConnectService/AnalyzePlan");

  /** The baseline: every field looked up by its name at every call. */
  @Benchmark
  public SessionKey byName() {
    FieldDescriptor session = message.getDescriptorForType().findFieldByName("session_id");
    FieldDescriptor context = message.getDescriptorForType().findFieldByName("user_context");
    Message user = (Message) message.getField(context);
    FieldDescriptor id = user.getDescriptorForType().findFieldByName("user_id");
    return new SessionKey((String) user.getField(id), (String) message.getField(session));
  }

  @Benchmark
  public @Nullable SessionKey generated() {
    return SparkSessions.keyOf(method, message);
  }

  @Benchmark
  public @Nullable SessionKey dynamic() {
    return SparkSessions.keyOf(method, dynamicMessage);
  }

  @Benchmark
  public @Nullable SessionKey bytes() {
    return SparkSessions.keyOf(method, encoded);
  }

  private static Message dynamicCopy(Message message) {
    try {
      return DynamicMessage.parseFrom(message.getDescriptorForType(), message.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}
