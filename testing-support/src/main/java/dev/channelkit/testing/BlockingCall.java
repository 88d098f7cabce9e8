package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * gRPC's BlockingClientCall by reflection: older gRPC does not have it, and this suite runs there
 * too.
 */
final class BlockingCall {
  private static final @Nullable Class<?> TYPE = find();

  private final Object call;

  private BlockingCall(Object call) {
    this.call = call;
  }

  private static @Nullable Class<?> find() {
    try {
      return Class.forName("io.grpc.stub.BlockingClientCall");
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  static boolean isAvailable() {
    return TYPE != null;
  }

  static BlockingCall open(CallType type, Channel channel, CallOptions options, String request)
      throws Exception {
    Object call =
        switch (type) {
          case SERVER_STREAMING ->
              invoke(
                  ClientCalls.class.getMethod(
                      "blockingV2ServerStreamingCall",
                      Channel.class,
                      MethodDescriptor.class,
                      CallOptions.class,
                      Object.class),
                  null,
                  channel,
                  type.method(),
                  options,
                  request);
          case CLIENT_STREAMING ->
              invoke(
                  streaming("blockingClientStreamingCall"), null, channel, type.method(), options);
          case BIDI_STREAMING ->
              invoke(streaming("blockingBidiStreamingCall"), null, channel, type.method(), options);
          case UNARY -> throw new IllegalArgumentException("BlockingClientCall is for streams");
        };
    if (call == null) {
      throw new IllegalStateException("no BlockingClientCall");
    }
    return new BlockingCall(call);
  }

  private static Method streaming(String name) throws NoSuchMethodException {
    return ClientCalls.class.getMethod(
        name, Channel.class, MethodDescriptor.class, CallOptions.class);
  }

  @Nullable String read() throws Exception {
    return (String) invoke(method("read"), call);
  }

  void write(String message) throws Exception {
    invoke(method("write", Object.class), call, message);
  }

  void halfClose() throws Exception {
    invoke(method("halfClose"), call);
  }

  void cancel(String message) {
    try {
      invoke(method("cancel", String.class, Throwable.class), call, message, null);
    } catch (Exception e) {
      throw new IllegalStateException("cancel failed", e);
    }
  }

  private static Method method(String name, Class<?>... parameters) throws NoSuchMethodException {
    Class<?> type = TYPE;
    if (type == null) {
      throw new IllegalStateException("this gRPC has no BlockingClientCall");
    }
    return type.getMethod(name, parameters);
  }

  private static @Nullable Object invoke(
      Method method, @Nullable Object target, @Nullable Object... arguments) throws Exception {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      if (thrown instanceof Exception exception) {
        throw exception;
      }
      if (thrown instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }
}
