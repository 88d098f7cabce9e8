package dev.channelkit.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.channelkit.call.SessionKey;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.connect.proto.InterruptRequest;
import org.apache.spark.connect.proto.SparkConnectServiceGrpc;
import org.apache.spark.connect.proto.UserContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table and the ids against the messages that Spark itself is built from. */
class GeneratedMessagesTest {
  private static final String OBSERVED = "client_observed_server_side_session_id";

  static Stream<MethodDescriptor<?, ?>> methods() {
    return SparkConnectServiceGrpc.getServiceDescriptor().getMethods().stream();
  }

  @Test
  void the_table_holds_the_methods_of_the_service_and_no_others() {
    assertThat(methods().map(MethodDescriptor::getFullMethodName))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(SparkRpc.values()).map(SparkRpc::fullMethodName).toList());
  }

  @ParameterizedTest
  @MethodSource("methods")
  void the_table_says_what_the_descriptors_say(MethodDescriptor<?, ?> method) {
    SparkRpc rpc = SparkRpc.of(method);
    Message request = prototype(method.getRequestMarshaller());
    Message response = prototype(method.getResponseMarshaller());

    assertThat(rpc.methodType()).isEqualTo(method.getType());
    assertThat(rpc.requestType()).isEqualTo(request.getDescriptorForType().getFullName());
    assertThat(rpc.responseType()).isEqualTo(response.getDescriptorForType().getFullName());
    assertThat(SparkRpc.SESSION_ID_FIELD).isEqualTo(number(request, "session_id"));
    assertThat(SparkRpc.USER_CONTEXT_FIELD).isEqualTo(number(request, "user_context"));
    assertThat(SparkRpc.USER_ID_FIELD_OF_USER_CONTEXT)
        .isEqualTo(number(UserContext.getDefaultInstance(), "user_id"));
    assertThat(rpc.observedIdField()).isEqualTo(number(request, OBSERVED));
    assertThat(rpc.operationIdField()).isEqualTo(number(request, "operation_id"));
    assertThat(rpc.serverSideIdField()).isEqualTo(number(response, "server_side_session_id"));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void every_request_gives_its_ids_as_message_as_dynamic_message_and_as_bytes(
      MethodDescriptor<?, ?> method) throws InvalidProtocolBufferException {
    Message prototype = prototype(method.getRequestMarshaller());
    Message request = filled(prototype);
    String observed = number(prototype, OBSERVED) == SparkRpc.NO_FIELD ? null : "observed-1";
    String operation =
        number(prototype, "operation_id") == SparkRpc.NO_FIELD ? null : "operation-1";

    for (Object form : forms(request)) {
      assertThat(SparkSessions.keyOf(method, form)).isEqualTo(new SessionKey("ann", "session-1"));
      assertThat(SparkSessions.observedServerSideIdOf(method, form)).isEqualTo(observed);
      assertThat(SparkSessions.operationIdOf(method, form)).isEqualTo(operation);
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void an_empty_request_gives_no_ids(MethodDescriptor<?, ?> method)
      throws InvalidProtocolBufferException {
    for (Object form : forms(prototype(method.getRequestMarshaller()))) {
      assertThat(SparkSessions.keyOf(method, form)).isNull();
      assertThat(SparkSessions.observedServerSideIdOf(method, form)).isNull();
      assertThat(SparkSessions.operationIdOf(method, form)).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void every_response_gives_the_server_side_id(MethodDescriptor<?, ?> method)
      throws InvalidProtocolBufferException {
    Message empty = prototype(method.getResponseMarshaller());
    Message.Builder response = empty.newBuilderForType();
    set(response, "session_id", "session-1");
    set(response, "server_side_session_id", "server-1");

    for (Object form : forms(response.build())) {
      assertThat(SparkSessions.serverSideIdOf(method, form)).isEqualTo("server-1");
    }
    for (Object form : forms(empty)) {
      assertThat(SparkSessions.serverSideIdOf(method, form)).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void a_request_given_to_another_method_gives_nothing(MethodDescriptor<?, ?> method) {
    Message request = filled(prototype(method.getRequestMarshaller()));

    methods()
        .filter(other -> other != method)
        .forEach(
            other -> {
              assertThat(SparkSessions.keyOf(other, request)).isNull();
              assertThat(SparkSessions.operationIdOf(other, request)).isNull();
            });
  }

  @Test
  void an_interrupt_by_tag_names_no_operation() throws InvalidProtocolBufferException {
    MethodDescriptor<?, ?> interrupt = SparkConnectServiceGrpc.getInterruptMethod();
    InterruptRequest byTag =
        InterruptRequest.newBuilder().setSessionId("s").setOperationTag("tag").build();

    for (Object form : forms(byTag)) {
      assertThat(SparkSessions.operationIdOf(interrupt, form)).isNull();
    }
  }

  static Message filled(Message prototype) {
    Message.Builder request = prototype.newBuilderForType();
    set(request, "session_id", "session-1");
    set(
        request,
        "user_context",
        UserContext.newBuilder().setUserId("ann").setUserName("A").build());
    set(request, "client_type", "test");
    set(request, OBSERVED, "observed-1");
    set(request, "operation_id", "operation-1");
    return request.build();
  }

  static Message prototype(MethodDescriptor.Marshaller<?> marshaller) {
    return (Message) ((PrototypeMarshaller<?>) marshaller).getMessagePrototype();
  }

  private static List<Object> forms(Message message) throws InvalidProtocolBufferException {
    byte[] bytes = message.toByteArray();
    return List.of(message, DynamicMessage.parseFrom(message.getDescriptorForType(), bytes), bytes);
  }

  private static void set(Message.Builder builder, String field, Object value) {
    var descriptor = builder.getDescriptorForType().findFieldByName(field);
    if (descriptor != null) {
      builder.setField(descriptor, value);
    }
  }

  private static int number(Message message, String field) {
    var descriptor = message.getDescriptorForType().findFieldByName(field);
    return descriptor == null ? SparkRpc.NO_FIELD : descriptor.getNumber();
  }
}
