package dev.channelkit.call;

import io.grpc.Context;
import java.lang.reflect.Field;
import java.util.Collection;

/** Looks where gRPC offers no look. */
final class Contexts {
  private Contexts() {}

  static int listeners(Context.CancellableContext context) {
    try {
      Field field = Context.CancellableContext.class.getDeclaredField("listeners");
      field.setAccessible(true);
      Collection<?> listeners = (Collection<?>) field.get(context);
      return listeners == null ? 0 : listeners.size();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this gRPC keeps its Context listeners elsewhere", e);
    }
  }
}
