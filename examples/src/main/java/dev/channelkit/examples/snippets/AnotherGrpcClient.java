package dev.channelkit.examples.snippets;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.TokenSource;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.time.Duration;

/** One part alone, on a client that has nothing to do with Spark. */
final class AnotherGrpcClient {
  private AnotherGrpcClient() {}

  static ManagedChannel channel(TokenSource tokens) {
    // snippet
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(tokens)
            .refreshBefore(Duration.ofMinutes(5))
            .retryOnceOnUnauthenticated(true)
            .build();
    ManagedChannel channel =
        Grpc.newChannelBuilder("dns:///api.example.com:443", TlsChannelCredentials.create())
            .intercept(credentials.interceptor())
            .build();
    // end of snippet
    return channel;
  }
}
