package dev.channelkit.auth;

import dev.channelkit.event.StackEventListener;
import io.grpc.CallCredentials;
import io.grpc.ClientInterceptor;
import java.time.InstantSource;
import java.util.concurrent.Executor;

/** Cached credentials under test: ours, or a variant that is broken on purpose. */
record Subject(CallCredentials credentials, ClientInterceptor interceptor) {
  /** Makes the subject of a scenario. */
  interface Factory {
    Subject create(
        TokenSource source, InstantSource clock, Executor executor, StackEventListener listener);
  }

  static Subject ours(
      TokenSource source, InstantSource clock, Executor executor, StackEventListener listener) {
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(source)
            .clock(clock)
            .executor(executor)
            .eventListener(listener)
            .random(() -> 0L)
            .build();
    return new Subject(credentials, credentials.interceptor());
  }
}
