package dev.channelkit.spark;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.channelkit.call.SessionKey;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Messages of Spark Connect without generated classes, which the floor could not run: descriptors
 * written down by hand with the ids of a few requests.
 */
final class DynamicSpark {
  static final FileDescriptor FILE = newFile();

  private DynamicSpark() {}

  /** A descriptor pool of its own, as another class loader would bring. */
  static FileDescriptor newFile() {
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("spark/connect/base.proto")
            .setPackage("spark.connect")
            .setSyntax("proto3")
            .addMessageType(message("UserContext", string("user_id", 1), string("user_name", 2)))
            .addMessageType(
                message(
                    "ExecutePlanRequest",
                    string("session_id", 1),
                    userContext(),
                    field("plan", 3, FieldDescriptorProto.Type.TYPE_BYTES),
                    string("operation_id", 6),
                    string("client_observed_server_side_session_id", 8)))
            .addMessageType(
                message(
                    "ExecutePlanResponse",
                    string("session_id", 1),
                    string("server_side_session_id", 15)))
            .addMessageType(
                message(
                    "ConfigRequest",
                    string("session_id", 1),
                    userContext(),
                    string("client_observed_server_side_session_id", 8)))
            .addMessageType(
                message(
                    "ConfigResponse", string("session_id", 1), string("server_side_session_id", 4)))
            .addMessageType(
                message(
                        "InterruptRequest",
                        string("session_id", 1),
                        userContext(),
                        inOneof(string("operation_tag", 5)),
                        inOneof(string("operation_id", 6)))
                    .addOneofDecl(OneofDescriptorProto.newBuilder().setName("interrupt")))
            // A name of ours with fields that are not.
            .addMessageType(
                message(
                    "GetStatusRequest",
                    field("session_id", 1, FieldDescriptorProto.Type.TYPE_INT32),
                    string("user_context", 2)))
            .addMessageType(message("Plan", string("session_id", 1), userContext()))
            .build();
    try {
      return FileDescriptor.buildFrom(file, new FileDescriptor[0]);
    } catch (DescriptorValidationException e) {
      throw new AssertionError(e);
    }
  }

  static Descriptor type(String name) {
    return FILE.findMessageTypeByName(name);
  }

  static DynamicMessage.Builder message(String type) {
    return DynamicMessage.newBuilder(type(type));
  }

  static DynamicMessage request(String type, String user, String session) {
    DynamicMessage.Builder request = message(type);
    set(request, "session_id", session);
    set(request, "user_context", userContext(FILE, user));
    return request.build();
  }

  static DynamicMessage userContext(FileDescriptor file, String user) {
    Descriptor context = file.findMessageTypeByName("UserContext");
    return DynamicMessage.newBuilder(context)
        .setField(context.findFieldByName("user_id"), user)
        .build();
  }

  static Message.Builder set(Message.Builder builder, String field, Object value) {
    return builder.setField(builder.getDescriptorForType().findFieldByName(field), value);
  }

  static MethodDescriptor<Object, Object> method(String name) {
    return methodOf("spark.connect.SparkConnectService/" + name);
  }

  static MethodDescriptor<Object, Object> methodOf(String fullName) {
    return MethodDescriptor.<Object, Object>newBuilder()
        .setType(MethodType.UNKNOWN)
        .setFullMethodName(fullName)
        .setRequestMarshaller(new NoMarshaller())
        .setResponseMarshaller(new NoMarshaller())
        .build();
  }

  /** What a message says when asked by name, the slow way that the tests trust. */
  static @Nullable SessionKey keyByName(Message request) {
    String session = byName(request, "session_id");
    if (session == null) {
      return null;
    }
    FieldDescriptor context = request.getDescriptorForType().findFieldByName("user_context");
    String user = byName((Message) request.getField(context), "user_id");
    return new SessionKey(user == null ? "" : user, session);
  }

  static @Nullable String byName(Message message, String field) {
    FieldDescriptor descriptor = message.getDescriptorForType().findFieldByName(field);
    if (descriptor == null) {
      return null;
    }
    String value = (String) message.getField(descriptor);
    return value.isEmpty() ? null : value;
  }

  private static DescriptorProto.Builder message(String name, FieldDescriptorProto... fields) {
    return DescriptorProto.newBuilder().setName(name).addAllField(java.util.List.of(fields));
  }

  private static FieldDescriptorProto string(String name, int number) {
    return field(name, number, FieldDescriptorProto.Type.TYPE_STRING);
  }

  private static FieldDescriptorProto field(
      String name, int number, FieldDescriptorProto.Type type) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
        .setType(type)
        .build();
  }

  private static FieldDescriptorProto inOneof(FieldDescriptorProto field) {
    return field.toBuilder().setOneofIndex(0).build();
  }

  private static FieldDescriptorProto userContext() {
    return field("user_context", 2, FieldDescriptorProto.Type.TYPE_MESSAGE).toBuilder()
        .setTypeName(".spark.connect.UserContext")
        .build();
  }

  private static final class NoMarshaller implements MethodDescriptor.Marshaller<Object> {
    @Override
    public InputStream stream(Object value) {
      return new ByteArrayInputStream(new byte[0]);
    }

    @Override
    public Object parse(InputStream stream) {
      return stream;
    }
  }
}
