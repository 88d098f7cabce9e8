package dev.channelkit.call;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * What a call becomes when it has ended here. Its start returned normally, so its user goes on with
 * the script of the call and must not be punished for it.
 */
final class NoopCall extends ClientCall<Object, Object> {
  private static final NoopCall INSTANCE = new NoopCall();

  private NoopCall() {}

  // Nothing is ever taken from or given to the type parameters.
  @SuppressWarnings("unchecked")
  static <Q, R> ClientCall<Q, R> get() {
    return (ClientCall<Q, R>) (ClientCall<?, ?>) INSTANCE;
  }

  @Override
  public void start(Listener<Object> listener, Metadata headers) {}

  @Override
  public void request(int numMessages) {}

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {}

  @Override
  public void halfClose() {}

  @Override
  public void sendMessage(Object message) {}

  @Override
  public boolean isReady() {
    return false;
  }
}
