package dev.channelkit.auth;

import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** A call with our credentials: passes everything on and takes note of a refusal. */
final class CredentialedCall<Q, R> extends SimpleForwardingClientCall<Q, R> {
  private final CallRecord record;
  private final TokenCache cache;

  CredentialedCall(ClientCall<Q, R> delegate, CallRecord record, TokenCache cache) {
    super(delegate);
    this.record = record;
    this.cache = cache;
  }

  @Override
  public void start(Listener<R> listener, Metadata headers) {
    record.namesProject = CredentialsInterceptor.makeRoom(headers);
    super.start(new RefusalListener(listener), headers);
  }

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    try {
      super.cancel(message, cause);
    } finally {
      record.cancelled();
    }
  }

  private final class RefusalListener extends SimpleForwardingClientCallListener<R> {
    RefusalListener(Listener<R> delegate) {
      super(delegate);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      try {
        // Before the application hears of it: its next call may start from there.
        if (status.getCode() == Status.Code.UNAUTHENTICATED) {
          cache.reject(record.generation);
        }
      } finally {
        super.onClose(status, trailers);
      }
    }
  }
}
