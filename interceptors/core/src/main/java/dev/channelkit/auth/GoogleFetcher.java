package dev.channelkit.auth;

import com.google.auth.Credentials;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Credentials of google-auth. The plain ones tell no expiry. */
final class GoogleFetcher implements Fetcher {
  private static final String OAUTH2 = "com.google.auth.oauth2.OAuth2Credentials";

  private final Credentials credentials;
  private final @Nullable URI audience;

  private GoogleFetcher(Credentials credentials, @Nullable URI audience) {
    this.credentials = credentials;
    this.audience = audience;
  }

  // By name, because the OAuth library may be absent, and where it is present a stack that does
  // not use it must not load it.
  static Fetcher of(Credentials credentials, @Nullable URI audience) {
    for (Class<?> type = credentials.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(OAUTH2)) {
        return OAuth2Fetcher.of(credentials, audience);
      }
    }
    return new GoogleFetcher(credentials, audience);
  }

  @Override
  public Fetched fetch(boolean rejected) throws Exception {
    if (rejected) {
      credentials.refresh();
    }
    return Fetched.ofMetadata(credentials.getRequestMetadata(audience), null);
  }
}
