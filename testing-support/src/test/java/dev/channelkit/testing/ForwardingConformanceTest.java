package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.Set;
import org.junit.jupiter.api.Nested;

class ForwardingConformanceTest {

  @Nested
  class NoWrapping extends InterceptorConformance {
    @Override
    protected ClientInterceptor newInterceptor() {
      return new ClientInterceptor() {
        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
          return next.newCall(method, options);
        }
      };
    }
  }

  @Nested
  class AddingAHeader extends InterceptorConformance {
    @Override
    protected ClientInterceptor newInterceptor() {
      Metadata.Key<String> key = Metadata.Key.of("added", Metadata.ASCII_STRING_MARSHALLER);
      return new ClientInterceptor() {
        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
          return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<R> listener, Metadata headers) {
              headers.put(key, "value");
              super.start(listener, headers);
            }
          };
        }
      };
    }

    @Override
    protected Set<InterceptorTrait> traits() {
      return Set.of(InterceptorTrait.ADDS_REQUEST_HEADERS);
    }
  }
}
