package dev.channelkit.auth;

import io.grpc.Metadata;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A token as a source gave it: its authorization header and the headers that go with it. */
final class Fetched {
  private static final String BEARER = "Bearer ";
  private static final String AUTHORIZATION = "authorization";
  private static final Pattern NAME = Pattern.compile("[a-z0-9_.-]+");

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
        String name = nameOf(header);
        List<String> values = valuesOf(name, header);
        if (!name.equals(AUTHORIZATION)) {
          others.computeIfAbsent(name, n -> new ArrayList<>()).addAll(values);
        } else if (authorization == null && !values.isEmpty()) {
          authorization = values.get(0);
        }
      }
    }
    if (authorization == null || authorization.isBlank()) {
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

  private static String nameOf(Map.Entry<String, List<String>> header) throws Exception {
    @Nullable String given = header.getKey();
    String name = given == null ? "" : given.toLowerCase(Locale.ROOT);
    if (!NAME.matcher(name).matches()) {
      throw new UnusableTokenException(
          "the credentials gave a header with the name '"
              + printable(String.valueOf(given))
              + "'; expected letters, digits, '-', '_' and '.'");
    }
    return name;
  }

  // Checked here, because the transport would leave such a header out and log its value.
  private static List<String> valuesOf(String name, Map.Entry<String, List<String>> header)
      throws Exception {
    @Nullable List<@Nullable String> values = header.getValue();
    if (values == null) {
      return List.of();
    }
    List<String> checked = new ArrayList<>();
    for (String value : values) {
      if (value == null || !fits(name, value)) {
        throw new UnusableTokenException(
            "the credentials gave the header "
                + name
                + " with a value that a header cannot carry: expected "
                + (isBinary(name) ? "base64" : "visible ASCII characters and spaces")
                + (value == null ? ", was null" : ""));
      }
      checked.add(value);
    }
    return checked;
  }

  private static boolean fits(String name, String value) {
    if (isBinary(name)) {
      try {
        Base64.getDecoder().decode(value);
        return true;
      } catch (IllegalArgumentException e) {
        return false;
      }
    }
    return value.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  static boolean isBinary(String name) {
    return name.endsWith(Metadata.BINARY_HEADER_SUFFIX);
  }

  private static String printable(String text) {
    return text.replaceAll("[^ -~]", "?");
  }

  private static Token checked(String value, @Nullable Instant expiresAt) {
    return expiresAt == null ? Token.withoutExpiry(value) : Token.of(value, expiresAt);
  }
}
