package dev.channelkit.spark;

import static dev.channelkit.spark.DynamicSpark.method;
import static dev.channelkit.spark.DynamicSpark.methodOf;
import static dev.channelkit.spark.DynamicSpark.request;
import static dev.channelkit.spark.DynamicSpark.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import dev.channelkit.call.SessionKey;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class SparkSessionsTest {
  @Test
  void a_message_gives_user_and_session() {
    Message request = request("ConfigRequest", "ann", "s1");

    assertThat(SparkSessions.keyOf(method("Config"), request))
        .isEqualTo(new SessionKey("ann", "s1"));
    assertThat(SparkSessions.keyOf(method("Config"), request.toByteArray()))
        .isEqualTo(new SessionKey("ann", "s1"));
  }

  @Test
  void a_request_without_a_user_has_the_empty_user() {
    Message request = set(DynamicSpark.message("ConfigRequest"), "session_id", "s1").build();

    assertThat(SparkSessions.keyOf(method("Config"), request)).isEqualTo(new SessionKey("", "s1"));
    assertThat(SparkSessions.keyOf(method("Config"), request.toByteArray()))
        .isEqualTo(new SessionKey("", "s1"));
  }

  @Test
  void a_request_without_a_session_has_no_key() {
    Message unset = DynamicSpark.message("ConfigRequest").build();
    Message empty = request("ConfigRequest", "ann", "");

    assertThat(SparkSessions.keyOf(method("Config"), unset)).isNull();
    assertThat(SparkSessions.keyOf(method("Config"), unset.toByteArray())).isNull();
    assertThat(SparkSessions.keyOf(method("Config"), empty)).isNull();
    assertThat(SparkSessions.keyOf(method("Config"), empty.toByteArray())).isNull();
  }

  @Test
  void nothing_is_told_about_null() {
    assertThat(SparkSessions.keyOf(method("Config"), null)).isNull();
    assertThat(SparkSessions.observedServerSideIdOf(method("Config"), null)).isNull();
    assertThat(SparkSessions.operationIdOf(method("ExecutePlan"), null)).isNull();
    assertThat(SparkSessions.serverSideIdOf(method("Config"), null)).isNull();
  }

  @Test
  void nothing_is_told_about_messages_of_another_protocol() {
    Message foreign = StringValue.of("s1");

    assertThat(SparkSessions.keyOf(method("Config"), foreign)).isNull();
    assertThat(SparkSessions.keyOf(method("Config"), Empty.getDefaultInstance())).isNull();
    assertThat(SparkSessions.keyOf(method("Config"), "text")).isNull();
    assertThat(SparkSessions.serverSideIdOf(method("Config"), foreign)).isNull();
    assertThat(SparkSessions.keyOf(method("Config"), request("Plan", "ann", "s1"))).isNull();
  }

  @Test
  void nothing_is_told_about_methods_of_another_protocol() {
    Message request = request("ConfigRequest", "ann", "s1");

    assertThat(SparkSessions.keyOf(methodOf("acme.Other/Config"), request)).isNull();
    assertThat(SparkSessions.keyOf(methodOf("acme.Other/Config"), request.toByteArray())).isNull();
    assertThat(SparkSessions.keyOf(method("NoSuchMethod"), request)).isNull();
  }

  @Test
  void a_request_of_another_method_gives_nothing() {
    Message request = request("ConfigRequest", "ann", "s1");

    assertThat(SparkSessions.keyOf(method("ExecutePlan"), request)).isNull();
    assertThat(SparkSessions.observedServerSideIdOf(method("ExecutePlan"), request)).isNull();
  }

  @Test
  void a_response_is_no_request_and_a_request_no_response() {
    Message response = set(DynamicSpark.message("ConfigResponse"), "session_id", "s1").build();

    assertThat(SparkSessions.keyOf(method("Config"), response)).isNull();
    assertThat(SparkSessions.serverSideIdOf(method("Config"), request("ConfigRequest", "a", "s")))
        .isNull();
  }

  @Test
  void a_message_of_our_name_with_other_field_types_gives_nothing() {
    Message misnamed = set(DynamicSpark.message("GetStatusRequest"), "session_id", 7).build();

    assertThat(SparkSessions.keyOf(method("GetStatus"), misnamed)).isNull();
    assertThat(SparkSessions.keyOf(method("GetStatus"), misnamed.toByteArray())).isNull();
  }

  @Test
  void a_user_context_of_another_descriptor_pool_is_understood() {
    FileDescriptor other = DynamicSpark.newFile();
    Message.Builder request = DynamicSpark.message("ConfigRequest");
    set(request, "session_id", "s1");
    set(request, "user_context", DynamicSpark.userContext(other, "ann"));

    assertThat(SparkSessions.keyOf(method("Config"), request.build()))
        .isEqualTo(new SessionKey("ann", "s1"));
  }

  @Test
  void the_operation_of_a_oneof_is_gone_when_the_other_member_comes_later() {
    Message.Builder both = DynamicSpark.message("InterruptRequest");
    byte[] operation = set(both.clone(), "operation_id", "op").build().toByteArray();
    byte[] tag = set(both.clone(), "operation_tag", "tag").build().toByteArray();

    assertThat(SparkSessions.operationIdOf(method("Interrupt"), join(operation, tag))).isNull();
    assertThat(SparkSessions.operationIdOf(method("Interrupt"), join(tag, operation)))
        .isEqualTo("op");
  }

  @Test
  void one_type_in_several_descriptor_pools_is_understood_in_each() {
    for (int i = 0; i < 5_000; i++) {
      FileDescriptor file = DynamicSpark.newFile();
      DynamicMessage.Builder request =
          DynamicMessage.newBuilder(file.findMessageTypeByName("ConfigRequest"));
      set(request, "session_id", "s" + i);
      assertThat(SparkSessions.keyOf(method("Config"), request.build()))
          .isEqualTo(new SessionKey("", "s" + i));
    }
  }

  @Test
  void descriptors_are_not_kept_alive() {
    WeakReference<FileDescriptor> spark = used("ConfigRequest");
    WeakReference<FileDescriptor> unknown = used("Plan");

    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(spark.get()).isNull();
              assertThat(unknown.get()).isNull();
            });
  }

  private static WeakReference<FileDescriptor> used(String type) {
    FileDescriptor file = DynamicSpark.newFile();
    Message request =
        set(DynamicMessage.newBuilder(file.findMessageTypeByName(type)), "session_id", "s1")
            .build();
    SparkSessions.keyOf(method("Config"), request);
    return new WeakReference<>(file);
  }

  static byte[] join(byte[]... parts) {
    java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
