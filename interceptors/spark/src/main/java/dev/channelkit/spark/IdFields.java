package dev.channelkit.spark;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import dev.channelkit.call.SessionKey;
import java.lang.ref.WeakReference;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where the ids lie in the messages of one descriptor, found once and remembered.
 *
 * <p>The memory holds descriptors weakly and the fields weakly as well: a field points to its
 * descriptor, so a strong one would keep its own key alive, and with it the class loader of the
 * messages. While a message is at hand, its descriptor and thus every field reference is alive.
 */
final class IdFields {
  // Far above the 23 message types of one class loader; weak keys alone would let a program that
  // makes descriptors faster than they are collected fill the heap.
  private static final int MAXIMUM_DESCRIPTORS = 2_048;

  private static final Cache<Descriptor, IdFields> BY_DESCRIPTOR =
      Caffeine.newBuilder()
          .weakKeys()
          .maximumSize(MAXIMUM_DESCRIPTORS)
          // Upkeep on the calling thread: a message must not start the common pool.
          .executor(Runnable::run)
          .build();

  // What was found last for each method: mostly there is one class of messages, and comparing its
  // descriptor is cheaper than looking it up.
  private static final Map<SparkRpc, AtomicReference<@Nullable IdFields>> LAST_REQUEST = slots();
  private static final Map<SparkRpc, AtomicReference<@Nullable IdFields>> LAST_RESPONSE = slots();

  private static final WeakReference<@Nullable FieldDescriptor> ABSENT = new WeakReference<>(null);

  private final WeakReference<Descriptor> descriptor;
  private final @Nullable SparkRpc requestOf;
  private final @Nullable String responseType;
  private final WeakReference<@Nullable FieldDescriptor> sessionId;
  private final WeakReference<@Nullable FieldDescriptor> userContext;
  private final WeakReference<@Nullable FieldDescriptor> userId;
  private final WeakReference<@Nullable FieldDescriptor> observedId;
  private final WeakReference<@Nullable FieldDescriptor> operationId;
  private final WeakReference<@Nullable FieldDescriptor> serverSideId;

  private IdFields(
      Descriptor descriptor,
      @Nullable SparkRpc requestOf,
      @Nullable String responseType,
      WeakReference<@Nullable FieldDescriptor> sessionId,
      WeakReference<@Nullable FieldDescriptor> userContext,
      WeakReference<@Nullable FieldDescriptor> userId,
      WeakReference<@Nullable FieldDescriptor> observedId,
      WeakReference<@Nullable FieldDescriptor> operationId,
      WeakReference<@Nullable FieldDescriptor> serverSideId) {
    this.descriptor = new WeakReference<>(descriptor);
    this.requestOf = requestOf;
    this.responseType = responseType;
    this.sessionId = sessionId;
    this.userContext = userContext;
    this.userId = userId;
    this.observedId = observedId;
    this.operationId = operationId;
    this.serverSideId = serverSideId;
  }

  static @Nullable SessionKey sessionKey(SparkRpc rpc, Message request) {
    IdFields fields = of(request, LAST_REQUEST.get(rpc));
    if (fields.requestOf != rpc) {
      return null;
    }
    String session = string(request, fields.sessionId.get());
    return session == null ? null : new SessionKey(fields.user(request), session);
  }

  static @Nullable String observedId(SparkRpc rpc, Message request) {
    IdFields fields = of(request, LAST_REQUEST.get(rpc));
    return fields.requestOf == rpc ? string(request, fields.observedId.get()) : null;
  }

  static @Nullable String operationId(SparkRpc rpc, Message request) {
    IdFields fields = of(request, LAST_REQUEST.get(rpc));
    return fields.requestOf == rpc ? string(request, fields.operationId.get()) : null;
  }

  static @Nullable String serverSideId(SparkRpc rpc, Message response) {
    IdFields fields = of(response, LAST_RESPONSE.get(rpc));
    return rpc.responseType().equals(fields.responseType)
        ? string(response, fields.serverSideId.get())
        : null;
  }

  private static IdFields of(Message message, @Nullable AtomicReference<@Nullable IdFields> slot) {
    Descriptor descriptor = message.getDescriptorForType();
    IdFields last = slot == null ? null : slot.get();
    if (last != null && last.descriptor.refersTo(descriptor)) {
      return last;
    }
    IdFields found = BY_DESCRIPTOR.get(descriptor, IdFields::find);
    if (slot != null) {
      slot.set(found);
    }
    return found;
  }

  private static Map<SparkRpc, AtomicReference<@Nullable IdFields>> slots() {
    Map<SparkRpc, AtomicReference<@Nullable IdFields>> slots = new EnumMap<>(SparkRpc.class);
    for (SparkRpc rpc : SparkRpc.values()) {
      slots.put(rpc, new AtomicReference<>());
    }
    return slots;
  }

  private static IdFields find(Descriptor descriptor) {
    SparkRpc request = SparkRpc.ofRequestType(descriptor.getFullName());
    if (request != null) {
      FieldDescriptor user = field(descriptor, SparkRpc.USER_CONTEXT_FIELD, JavaType.MESSAGE);
      return new IdFields(
          descriptor,
          request,
          null,
          stringField(descriptor, SparkRpc.SESSION_ID_FIELD),
          new WeakReference<>(user),
          user == null
              ? ABSENT
              : stringField(user.getMessageType(), SparkRpc.USER_ID_FIELD_OF_USER_CONTEXT),
          stringField(descriptor, request.observedIdField()),
          stringField(descriptor, request.operationIdField()),
          ABSENT);
    }
    SparkRpc response = SparkRpc.ofResponseType(descriptor.getFullName());
    if (response != null) {
      return new IdFields(
          descriptor,
          null,
          response.responseType(),
          ABSENT,
          ABSENT,
          ABSENT,
          ABSENT,
          ABSENT,
          stringField(descriptor, response.serverSideIdField()));
    }
    return new IdFields(descriptor, null, null, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT);
  }

  private static WeakReference<@Nullable FieldDescriptor> stringField(
      Descriptor descriptor, int number) {
    return new WeakReference<>(field(descriptor, number, JavaType.STRING));
  }

  // A foreign message may bear a name of ours: what has another type there is not our field.
  private static @Nullable FieldDescriptor field(Descriptor descriptor, int number, JavaType type) {
    if (number == SparkRpc.NO_FIELD) {
      return null;
    }
    FieldDescriptor field = descriptor.findFieldByNumber(number);
    return field != null && !field.isRepeated() && field.getJavaType() == type ? field : null;
  }

  private String user(Message request) {
    FieldDescriptor contextField = userContext.get();
    FieldDescriptor idField = userId.get();
    if (contextField == null || idField == null) {
      return "";
    }
    Message context = (Message) request.getField(contextField);
    // A dynamic request may hold a context of another descriptor of the same type.
    if (context.getDescriptorForType() != idField.getContainingType()) {
      idField =
          field(
              context.getDescriptorForType(),
              SparkRpc.USER_ID_FIELD_OF_USER_CONTEXT,
              JavaType.STRING);
    }
    return idField == null ? "" : (String) context.getField(idField);
  }

  private static @Nullable String string(Message message, @Nullable FieldDescriptor field) {
    if (field == null) {
      return null;
    }
    // Unset reads as the empty default, so one look serves both.
    String value = (String) message.getField(field);
    return value.isEmpty() ? null : value;
  }
}
