package dev.channelkit.auth;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A bearer token and when it ends. Immutable; its {@code toString} does not show the value.
 *
 * @since 0.1
 */
public final class Token {
  private final String value;
  private final @Nullable Instant expiresAt;

  private Token(String value, @Nullable Instant expiresAt) {
    this.value = value;
    this.expiresAt = expiresAt;
  }

  /**
   * A token whose source tells when it ends.
   *
   * @param value what follows {@code Bearer } in the header: visible ASCII characters, no spaces,
   *     not empty; not null
   * @param expiresAt the end of the token by its source's word; not null
   * @return the token; never null
   * @throws IllegalArgumentException if a header cannot carry the value; the text does not show it
   */
  public static Token of(String value, Instant expiresAt) {
    return new Token(checked(value), Objects.requireNonNull(expiresAt, "expiresAt"));
  }

  /**
   * A token whose source does not tell when it ends. It is asked for again after {@link
   * CachedCallCredentials.Builder#lifetime}.
   *
   * @param value what follows {@code Bearer } in the header: visible ASCII characters, no spaces,
   *     not empty; not null
   * @return the token; never null
   * @throws IllegalArgumentException if a header cannot carry the value; the text does not show it
   */
  public static Token withoutExpiry(String value) {
    return new Token(checked(value), null);
  }

  /** For header values that a library of the credentials made. */
  static Token unchecked(String value, @Nullable Instant expiresAt) {
    return new Token(value, expiresAt);
  }

  private static String checked(String value) {
    Objects.requireNonNull(value, "The value of the token is null");
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          "The token is empty: expected what follows the scheme in the authorization header");
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' || c > '~') {
        throw new IllegalArgumentException(
            "The token holds a character that a header cannot carry, at position "
                + i
                + " of "
                + value.length()
                + ": expected visible ASCII without spaces; trim line breaks, and leave out the word"
                + " Bearer");
      }
    }
    return value;
  }

  /**
   * The secret itself: never log it.
   *
   * @return what follows {@code Bearer } in the header; never null
   */
  public String value() {
    return value;
  }

  /**
   * When the token ends by its source's word.
   *
   * @return empty if the source did not tell; never null
   */
  public Optional<Instant> expiresAt() {
    return Optional.ofNullable(expiresAt);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Token token
        && value.equals(token.value)
        && Objects.equals(expiresAt, token.expiresAt);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  /** Names the expiry, never the value. */
  @Override
  public String toString() {
    return "Token{expiresAt=" + (expiresAt == null ? "unknown" : expiresAt) + "}";
  }
}
