package dev.channelkit;

import dev.channelkit.call.CallRuntime;
import dev.channelkit.call.LocalClientCall;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One part in front of a channel.
 *
 * <p>{@link StackInterceptor} links anew for each call: that costs one small object a part, and a
 * cache instead would pin the channel that it saw last.
 */
final class StackChannel extends Channel {
  private final StackPart part;
  private final CallRuntime runtime;
  private final Channel below;

  private StackChannel(StackPart part, CallRuntime runtime, Channel below) {
    this.part = part;
    this.runtime = runtime;
    this.below = below;
  }

  /** The channel itself when there is no part. */
  static Channel link(List<StackPart> outermostFirst, CallRuntime runtime, Channel channel) {
    Channel head = channel;
    for (int i = outermostFirst.size() - 1; i >= 0; i--) {
      head = new StackChannel(outermostFirst.get(i), runtime, head);
    }
    return head;
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    return call(part, runtime, method, options, below);
  }

  static <Q, R> ClientCall<Q, R> call(
      StackPart part,
      CallRuntime runtime,
      MethodDescriptor<Q, R> method,
      CallOptions options,
      Channel below) {
    if (part.isSwitchedOff(options)) {
      return below.newCall(method, options);
    }
    ClientCall<Q, R> call;
    try {
      call = part.interceptor().interceptCall(method, options, below);
    } catch (Throwable thrown) {
      // Stubs do not catch: a throw from here would skip the listeners of everybody further out.
      return failing(part, runtime, options, "threw " + thrown.getClass().getName(), thrown);
    }
    return call != null ? call : failing(part, runtime, options, "returned null", null);
  }

  private static <Q, R> ClientCall<Q, R> failing(
      StackPart part,
      CallRuntime runtime,
      CallOptions options,
      String what,
      @Nullable Throwable cause) {
    ClientInterceptor interceptor = part.interceptor();
    Status status =
        Status.INTERNAL
            .withDescription(
                "channelkit: interceptor "
                    + interceptor.getClass().getName()
                    + " of "
                    + part.option()
                    + "(...) "
                    + what
                    + " instead of returning a call; an interceptor that cannot go on has to return"
                    + " a call that fails")
            .withCause(cause);
    return LocalClientCall.failing(options, runtime, status, new Metadata());
  }

  @Override
  public String authority() {
    return below.authority();
  }

  @Override
  public String toString() {
    return part.describe() + " -> " + below;
  }
}
