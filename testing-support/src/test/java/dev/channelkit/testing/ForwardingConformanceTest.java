package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
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
  class ForwardingBothWays extends InterceptorConformance {
    private final AtomicLong open = new AtomicLong();

    @Override
    protected ClientInterceptor newInterceptor() {
      return new ClientInterceptor() {
        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
          return new CountedCall<>(next.newCall(method, options), open);
        }
      };
    }

    @Override
    protected Map<String, Long> openCounts() {
      return Map.of("calls started and not closed", open.get());
    }
  }

  private static final class CountedCall<Q, R> extends SimpleForwardingClientCall<Q, R> {
    private final AtomicLong open;

    CountedCall(ClientCall<Q, R> delegate, AtomicLong open) {
      super(delegate);
      this.open = open;
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      open.incrementAndGet();
      try {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                open.decrementAndGet();
                super.onClose(status, trailers);
              }
            },
            headers);
      } catch (RuntimeException | Error e) {
        open.decrementAndGet();
        throw e;
      }
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
