package dev.channelkit;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of this toolkit in their one right order.
 *
 * @since 0.1
 */
public final class InterceptorStack {
  private final List<ClientInterceptor> outermostFirst;

  private InterceptorStack(List<ClientInterceptor> outermostFirst) {
    this.outermostFirst = List.copyOf(outermostFirst);
  }

  /**
   * Starts an empty stack.
   *
   * @return a builder; never null
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * This stack in front of a channel.
   *
   * @param channel below the stack; not null
   * @return the channel to use; never null
   */
  public Channel applyTo(Channel channel) {
    return ClientInterceptors.interceptForward(channel, outermostFirst);
  }

  /**
   * This stack as one interceptor, for a channel builder that takes one.
   *
   * @return the interceptor; never null
   */
  public ClientInterceptor interceptor() {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return applyTo(next).newCall(method, options);
      }
    };
  }

  /** Builds stacks. Not thread-safe. */
  public static final class Builder {
    private final List<ClientInterceptor> outermost = new ArrayList<>();

    private Builder() {}

    /**
     * Adds interceptors outside everything of this toolkit, outermost first.
     *
     * @param interceptors not null
     * @return this builder
     */
    public Builder outermost(ClientInterceptor... interceptors) {
      outermost.addAll(List.of(interceptors));
      return this;
    }

    /**
     * Builds the stack.
     *
     * @return the stack; never null
     */
    public InterceptorStack build() {
      return new InterceptorStack(outermost);
    }
  }
}
