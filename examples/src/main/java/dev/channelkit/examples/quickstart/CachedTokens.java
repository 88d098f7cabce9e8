package dev.channelkit.examples.quickstart;

import dev.channelkit.shaded.InterceptorStack;
import dev.channelkit.shaded.auth.CachedCallCredentials;
import dev.channelkit.shaded.auth.Token;
import dev.channelkit.shaded.spark.SparkConnect;
import java.time.Duration;

/** The stack under test: Spark's preset with cached credentials over the slow token source. */
final class CachedTokens {
  private CachedTokens() {}

  static InterceptorStack stack(
      TokenSourceModel source, RpcLog log, Duration stale, Duration unusable) {
    return SparkConnect.stack()
        .outermost(log.outermost())
        .credentials(
            CachedCallCredentials.builder(
                    () -> Token.of(source.token(), source.fetch().expiresAt()))
                .refreshBefore(stale)
                .unusableBefore(unusable)
                // The server of the quickstart listens on the loopback interface without TLS.
                .allowPlaintextToLoopback(true)
                .build())
        .innermost(log.innermost())
        .build();
  }
}
