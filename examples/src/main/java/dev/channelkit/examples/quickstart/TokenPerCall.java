package dev.channelkit.examples.quickstart;

import org.sparkproject.io.grpc.CallOptions;
import org.sparkproject.io.grpc.Channel;
import org.sparkproject.io.grpc.ClientCall;
import org.sparkproject.io.grpc.ClientInterceptor;
import org.sparkproject.io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import org.sparkproject.io.grpc.Metadata;
import org.sparkproject.io.grpc.MethodDescriptor;

/**
 * What people write today: each RPC, the releases too, asks for a token and blocks until it is
 * here.
 */
final class TokenPerCall implements ClientInterceptor {
  static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final TokenSourceModel tokens;

  TokenPerCall(TokenSourceModel tokens) {
    this.tokens = tokens;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        TokenSourceModel.Issued issued = tokens.fetch();
        RpcLog.carries(options, issued.generation());
        headers.put(AUTHORIZATION, "Bearer " + tokens.token());
        super.start(listener, headers);
      }
    };
  }
}
