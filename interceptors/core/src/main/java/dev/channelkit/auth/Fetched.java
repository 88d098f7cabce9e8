package dev.channelkit.auth;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A token as a source gave it: its authorization header and the headers that go with it. */
final class Fetched {
  private static final String BEARER = "Bearer ";

  final Token token;
  final String authorization;
  final Map<String, List<String>> otherHeaders;

  private Fetched(Token token, String authorization, Map<String, List<String>> otherHeaders) {
    this.token = token;
    this.authorization = authorization;
    this.otherHeaders = otherHeaders;
  }

  static Fetched bearer(Token token) {
    return new Fetched(token, BEARER + token.value(), Map.of());
  }

  /** From the request metadata of google-auth; its header names are in any case. */
  static Fetched ofMetadata(
      @Nullable Map<String, List<String>> metadata, @Nullable Instant expiresAt) throws Exception {
    String authorization = null;
    Map<String, List<String>> others = new LinkedHashMap<>();
    if (metadata != null) {
      for (Map.Entry<String, List<String>> header : metadata.entrySet()) {
        String name = header.getKey().toLowerCase(Locale.ROOT);
        if (!name.equals("authorization")) {
          others.computeIfAbsent(name, n -> new ArrayList<>()).addAll(header.getValue());
        } else if (authorization == null && !header.getValue().isEmpty()) {
          authorization = header.getValue().get(0);
        }
      }
    }
    if (authorization == null) {
      throw new UnusableTokenException(
          "the credentials gave no authorization header; a call that needs none needs no"
              + " CachedCallCredentials");
    }
    boolean bearer = authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
    String value = bearer ? authorization.substring(BEARER.length()) : authorization;
    return new Fetched(
        bearer ? checked(value, expiresAt) : Token.unchecked(value, expiresAt),
        bearer ? BEARER + value : authorization,
        others);
  }

  private static Token checked(String value, @Nullable Instant expiresAt) {
    return expiresAt == null ? Token.withoutExpiry(value) : Token.of(value, expiresAt);
  }
}
