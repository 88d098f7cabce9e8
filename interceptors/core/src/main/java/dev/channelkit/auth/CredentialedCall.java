package dev.channelkit.auth;

import dev.channelkit.call.CallRuntime;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.Status;

/** A call with our credentials: passes everything on and takes note of a refusal. */
final class CredentialedCall<Q, R> extends GatedCall<Q, R> {
  private final TokenCache cache;

  CredentialedCall(
      ClientCall<Q, R> delegate,
      CallRecord record,
      CallOptions options,
      CallRuntime runtime,
      TokenCache cache) {
    super(delegate, record, options, runtime);
    this.cache = cache;
  }

  @Override
  public void start(Listener<R> listener, Metadata headers) {
    record.namesProject = CredentialsInterceptor.makeRoom(headers);
    super.start(new RefusalListener(listener), headers);
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
