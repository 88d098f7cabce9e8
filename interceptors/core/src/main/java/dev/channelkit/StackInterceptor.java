package dev.channelkit;

import dev.channelkit.call.CallRuntime;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.util.List;

/** A whole stack as one interceptor. */
final class StackInterceptor implements ClientInterceptor {
  private final List<StackPart> outermostFirst;
  private final List<StackPart> belowOutermost;
  private final CallRuntime runtime;

  StackInterceptor(List<StackPart> outermostFirst, CallRuntime runtime) {
    this.outermostFirst = outermostFirst;
    this.belowOutermost =
        outermostFirst.isEmpty() ? List.of() : outermostFirst.subList(1, outermostFirst.size());
    this.runtime = runtime;
  }

  /** What the stack holds, outermost first, without what a kill switch took out. */
  List<StackPart> parts() {
    return outermostFirst;
  }

  ClientInterceptor asInterceptor() {
    return this;
  }

  Channel inFrontOf(Channel channel) {
    return StackChannel.link(outermostFirst, runtime, channel);
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    if (outermostFirst.isEmpty()) {
      return next.newCall(method, options);
    }
    Channel below = StackChannel.link(belowOutermost, runtime, next);
    return StackChannel.call(outermostFirst.get(0), runtime, method, options, below);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (StackPart part : outermostFirst) {
      text.append(part.describe()).append(" -> ");
    }
    return text.append("channel").toString();
  }
}
