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
  private final CallRuntime runtime;

  StackInterceptor(List<StackPart> outermostFirst, CallRuntime runtime) {
    this.outermostFirst = outermostFirst;
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
    return inFrontOf(next).newCall(method, options);
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
