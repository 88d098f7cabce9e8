package dev.channelkit.examples.bench;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.Token;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Our credentials with a token that is at hand and stays fresh for the whole run. */
final class WarmCredentials {
  static final String TOKEN = "t".repeat(180);

  private WarmCredentials() {}

  static CachedCallCredentials cached() {
    InstantSource clock = InstantSource.system();
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(
                () -> Token.of(TOKEN, clock.instant().plus(Duration.ofHours(12))))
            .clock(clock)
            .build();
    try {
      credentials.token().toCompletableFuture().get(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
    return credentials;
  }

  /** The options that a call has once the interceptor of the credentials has seen it. */
  static CallOptions options(CachedCallCredentials credentials) {
    AtomicReference<@Nullable CallOptions> seen = new AtomicReference<>();
    credentials
        .interceptor()
        .interceptCall(
            Bytes.method("bench.Echo/Echo"),
            CallOptions.DEFAULT,
            new Channel() {
              @Override
              public <Q, R> ClientCall<Q, R> newCall(
                  MethodDescriptor<Q, R> method, CallOptions options) {
                seen.set(options);
                return new NoCall<>();
              }

              @Override
              public String authority() {
                return "bench.example.com";
              }
            });
    CallOptions options = seen.get();
    if (options == null || !(options.getCredentials() instanceof CallCredentials)) {
      throw new IllegalStateException("the interceptor put no credentials on the call: " + options);
    }
    return options;
  }

  /** A call that goes nowhere. */
  private static final class NoCall<Q, R> extends ClientCall<Q, R> {
    @Override
    public void start(Listener<R> listener, Metadata headers) {}

    @Override
    public void request(int count) {}

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {}

    @Override
    public void halfClose() {}

    @Override
    public void sendMessage(Q message) {}
  }
}
