package dev.channelkit;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.event.EventSource;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * What occupies a place of a stack.
 *
 * @param slot its place; several parts may share the places of the application, none of the others
 * @param option the builder method that put it there, for the texts of conflicts
 * @param interceptor what it does to calls
 * @param callSwitch the option that keeps it off a call when false; null when it has none
 * @param events reports to the listeners of the stack; null when it has no events
 */
record StackPart(
    Slot slot,
    String option,
    ClientInterceptor interceptor,
    CallOptions.@Nullable Key<Boolean> callSwitch,
    @Nullable EventSource events) {

  /** An interceptor of the application. */
  static StackPart own(Slot slot, ClientInterceptor interceptor) {
    return new StackPart(slot, slot.partName(), interceptor, null, null);
  }

  static StackPart of(CachedCallCredentials credentials) {
    return new StackPart(
        Slot.CREDENTIALS,
        "credentials",
        credentials.interceptor(),
        CachedCallCredentials.ENABLED,
        credentials);
  }

  boolean isSwitchedOff(CallOptions options) {
    return callSwitch != null && Boolean.FALSE.equals(options.getOption(callSwitch));
  }

  /** For texts. Only the class: what an interceptor of the application prints is not known. */
  String describe() {
    String name = interceptor.getClass().getName();
    int hidden = name.indexOf('/');
    String stable = hidden < 0 ? name : name.substring(0, hidden);
    return switch (slot) {
      case OUTERMOST, INNERMOST ->
          slot.partName() + "(" + stable.substring(stable.lastIndexOf('.') + 1) + ")";
      default -> slot.partName();
    };
  }
}
