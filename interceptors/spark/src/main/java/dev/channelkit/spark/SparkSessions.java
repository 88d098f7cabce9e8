package dev.channelkit.spark;

import com.google.protobuf.Message;
import dev.channelkit.call.SessionKey;
import io.grpc.MethodDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Whose a Spark Connect call is: the ids inside its messages.
 *
 * <p>A message may be a protobuf {@link Message} of any class (generated or dynamic), or a {@code
 * byte[]} that holds one encoded. Each flavour of this toolkit understands messages of its own
 * protobuf runtime: the plain one {@code com.google.protobuf}, the relocated one that of the
 * official client.
 *
 * <p>Every method answers null, and never throws, when there is nothing to tell: the method is none
 * of Spark Connect's, the message is null, of another class or of another type than the method's,
 * or the id is unset or empty. Of encoded messages the ids are those that parsing would give: of
 * several occurrences the last one counts and user contexts merge. Bytes that are cut short or
 * ill-formed give null as well; the content of fields that hold no id is jumped over and not
 * checked, so their size costs nothing.
 *
 * <p>Thread-safe; messages are read and never kept. What is known about message types is remembered
 * once per class loader of this toolkit and never keeps the class loader of a message alive.
 *
 * @since 0.1
 */
public final class SparkSessions {
  private SparkSessions() {}

  /**
   * The user and the session of a request.
   *
   * @param method of the call; not null
   * @param request its request message, for a client-streaming call any of them; null gives null
   * @return the key, with an empty user if the request names none; null if it names no session
   */
  public static @Nullable SessionKey keyOf(
      MethodDescriptor<?, ?> method, @Nullable Object request) {
    SparkRpc rpc = SparkRpc.of(method);
    if (rpc == null) {
      return null;
    }
    if (request instanceof Message message) {
      return IdFields.sessionKey(rpc, message);
    }
    return request instanceof byte[] bytes ? EncodedIds.sessionKey(bytes) : null;
  }

  /**
   * The server-side session id that the client says it saw last.
   *
   * @param method of the call; not null
   * @param request its request message; null gives null
   * @return the id; null if the request carries none
   */
  public static @Nullable String observedServerSideIdOf(
      MethodDescriptor<?, ?> method, @Nullable Object request) {
    SparkRpc rpc = SparkRpc.of(method);
    if (rpc == null) {
      return null;
    }
    if (request instanceof Message message) {
      return IdFields.observedId(rpc, message);
    }
    return request instanceof byte[] bytes
        ? EncodedIds.string(bytes, rpc.observedIdField(), SparkRpc.NO_FIELD)
        : null;
  }

  /**
   * The operation that a request starts, attaches to, releases or interrupts.
   *
   * @param method of the call; not null
   * @param request its request message; null gives null
   * @return the id; null if the request names none
   */
  public static @Nullable String operationIdOf(
      MethodDescriptor<?, ?> method, @Nullable Object request) {
    SparkRpc rpc = SparkRpc.of(method);
    if (rpc == null) {
      return null;
    }
    if (request instanceof Message message) {
      return IdFields.operationId(rpc, message);
    }
    return request instanceof byte[] bytes
        ? EncodedIds.string(bytes, rpc.operationIdField(), rpc.operationIdRivalField())
        : null;
  }

  /**
   * The server-side session id that an answer came from; for {@code CloneSession} that of the
   * session cloned from.
   *
   * @param method of the call; not null
   * @param response one of its response messages; null gives null
   * @return the id; null if the response carries none
   */
  public static @Nullable String serverSideIdOf(
      MethodDescriptor<?, ?> method, @Nullable Object response) {
    SparkRpc rpc = SparkRpc.of(method);
    if (rpc == null) {
      return null;
    }
    if (response instanceof Message message) {
      return IdFields.serverSideId(rpc, message);
    }
    return response instanceof byte[] bytes
        ? EncodedIds.string(bytes, rpc.serverSideIdField(), SparkRpc.NO_FIELD)
        : null;
  }
}
