package dev.channelkit.auth;

import com.google.auth.Credentials;
import com.google.auth.oauth2.AccessToken;
import com.google.auth.oauth2.OAuth2Credentials;
import java.net.URI;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Credentials that tell the expiry of their token. Loaded only where such an object exists. */
final class OAuth2Fetcher implements Fetcher {
  private final OAuth2Credentials credentials;
  private final @Nullable URI audience;

  /** What was handed out last. */
  private volatile @Nullable String last;

  private OAuth2Fetcher(OAuth2Credentials credentials, @Nullable URI audience) {
    this.credentials = credentials;
    this.audience = audience;
  }

  static Fetcher of(Credentials credentials, @Nullable URI audience) {
    return new OAuth2Fetcher((OAuth2Credentials) credentials, audience);
  }

  @Override
  public Fetched fetch(boolean rejected) throws Exception {
    try {
      @Nullable Map<String, List<String>> metadata = credentials.getRequestMetadata(audience);
      AccessToken token = tokenOf(metadata);
      // These credentials have margins of their own, shorter than ours: what they call fresh may
      // be the very token that is to be replaced. One without an end is replaced only if refused.
      if (token != null
          && token.getTokenValue().equals(last)
          && (rejected || token.getExpirationTime() != null)) {
        credentials.refresh();
        metadata = credentials.getRequestMetadata(audience);
        token = tokenOf(metadata);
      }
      Date end = token == null ? null : token.getExpirationTime();
      Fetched fetched = Fetched.ofMetadata(metadata, end == null ? null : end.toInstant());
      last = fetched.token.value();
      return fetched;
    } catch (IllegalStateException e) {
      throw new PermanentTokenException(
          "the credentials cannot refresh their access token: build them from a type that can, or"
              + " give a new token through a TokenSource",
          e);
    }
  }

  /** The token behind the headers; null if they were made otherwise, as a self-signed one is. */
  private @Nullable AccessToken tokenOf(@Nullable Map<String, List<String>> metadata) {
    AccessToken token = credentials.getAccessToken();
    if (metadata == null || token == null || token.getTokenValue() == null) {
      return null;
    }
    String header = "Bearer " + token.getTokenValue();
    return metadata.values().stream().anyMatch(values -> values != null && values.contains(header))
        ? token
        : null;
  }
}
