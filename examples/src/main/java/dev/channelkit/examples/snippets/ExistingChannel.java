package dev.channelkit.examples.snippets;

import dev.channelkit.InterceptorStack;
import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.Token;
import io.grpc.Channel;
import java.time.Instant;

/** A stack in front of a channel that is there already. */
final class ExistingChannel {
  private ExistingChannel() {}

  static Channel of(Channel existing, IdentityProvider provider) {
    // snippet
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(() -> Token.of(provider.token(), provider.expiry())).build();
    InterceptorStack stack = InterceptorStack.builder().credentials(credentials).build();
    Channel channel = stack.applyTo(existing);
    // end of snippet
    return channel;
  }

  /** Whatever gives tokens. */
  interface IdentityProvider {
    String token();

    Instant expiry();
  }
}
