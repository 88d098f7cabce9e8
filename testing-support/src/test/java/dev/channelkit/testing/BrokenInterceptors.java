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
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Interceptors with one fault each, of kinds that are found in real libraries. */
final class BrokenInterceptors {
  private BrokenInterceptors() {}

  /** Takes a permit in interceptCall and gives it back only in onClose. */
  static final class PermitAtCreation implements ClientInterceptor {
    final AtomicLong taken = new AtomicLong();

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      taken.incrementAndGet();
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onClose(Status status, Metadata trailers) {
                  taken.decrementAndGet();
                  super.onClose(status, trailers);
                }
              },
              headers);
        }
      };
    }
  }

  /** Turns every call away, but says so only when the caller half-closes. */
  static final class ClosesAtHalfClose implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new ClientCall<>() {
        private Listener<R> listener;

        @Override
        public void start(Listener<R> responseListener, Metadata headers) {
          listener = responseListener;
        }

        @Override
        public void request(int numMessages) {
          if (numMessages < 0) {
            throw new IllegalArgumentException("negative");
          }
        }

        @Override
        public void sendMessage(Q message) {}

        @Override
        public void halfClose() {
          deliver(
              options,
              () -> listener.onClose(Status.UNAVAILABLE.withDescription("limit"), new Metadata()));
        }

        @Override
        public void cancel(String message, Throwable cause) {}
      };
    }
  }

  /** Asks upstream for more than the consumer asked for, without a buffer of its own. */
  static final class NaivePrefetch implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void request(int numMessages) {
          super.request(numMessages + 8);
        }
      };
    }
  }

  /** Hands every callback to a thread of its own instead of the executor of the call. */
  static final class OffTheCallExecutor implements ClientInterceptor {
    private final ExecutorService own;

    OffTheCallExecutor(ExecutorService own) {
      this.own = own;
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options.withExecutor(own))) {};
    }
  }

  /** Starts the call below and then answers without it. */
  static final class StartsAndAnswersLocally implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        private final AtomicBoolean closed = new AtomicBoolean();
        private Listener<R> listener;

        @Override
        public void start(Listener<R> responseListener, Metadata headers) {
          listener = responseListener;
          super.start(new Listener<>() {}, headers);
        }

        @Override
        public void sendMessage(Q message) {}

        @Override
        public void halfClose() {
          close(Status.OK);
        }

        @Override
        public void cancel(String message, Throwable cause) {
          close(Status.CANCELLED.withDescription(message));
        }

        private void close(Status status) {
          if (closed.compareAndSet(false, true)) {
            deliver(options, () -> listener.onClose(status, new Metadata()));
          }
        }
      };
    }
  }

  private static void deliver(CallOptions options, Runnable callback) {
    Executor executor = options.getExecutor();
    Runnable inContext = io.grpc.Context.current().wrap(callback);
    if (executor == null) {
      inContext.run();
    } else {
      executor.execute(inContext);
    }
  }
}
