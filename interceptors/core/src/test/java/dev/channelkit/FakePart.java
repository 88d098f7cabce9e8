package dev.channelkit;

import dev.channelkit.event.EventSource;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;

/** Stands in for parts of the toolkit. */
final class FakePart {
  static final CallOptions.Key<Boolean> CALL_SWITCH =
      CallOptions.Key.createWithDefault("test-part-enabled", true);

  private FakePart() {}

  static StackPart in(Slot slot, ClientInterceptor interceptor) {
    return new StackPart(slot, slot.partName(), interceptor, CALL_SWITCH, null);
  }

  static StackPart in(Slot slot, ClientInterceptor interceptor, EventSource events) {
    return new StackPart(slot, slot.partName(), interceptor, CALL_SWITCH, events);
  }
}
