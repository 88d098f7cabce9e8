package dev.channelkit.auth;

import io.grpc.Metadata;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * A token in use: its headers, ready to send, and the moments at which its use changes.
 *
 * <p>The headers are shared by all calls: gRPC copies from them and never writes to them.
 */
final class IssuedToken {
  static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  static final Metadata.Key<String> USER_PROJECT =
      Metadata.Key.of("x-goog-user-project", Metadata.ASCII_STRING_MARSHALLER);

  // So long that adding a margin cannot overflow, and that nobody will miss the rest.
  private static final long FAR_FUTURE = Instant.parse("9999-12-31T00:00:00Z").toEpochMilli();

  final long generation;
  final Token token;
  final Metadata headers;

  /** For a call that names a project of its own. */
  final Metadata headersWithoutProject;

  final Instant expiry;
  private final long freshFrom;
  private final long staleAt;
  private final long unusableAt;
  private final long expiresAt;

  private IssuedToken(
      long generation, Fetched fetched, Instant expiry, long now, long end, Settings settings) {
    this.generation = generation;
    this.token = fetched.token;
    this.headers = headers(fetched, true);
    this.headersWithoutProject =
        headers.containsKey(USER_PROJECT) ? headers(fetched, false) : headers;
    this.expiry = expiry;
    long lifetime = end - now;
    long staleMargin = Math.min(settings.refreshBefore().toMillis(), lifetime / 2);
    this.expiresAt = end;
    this.staleAt = end - staleMargin;
    this.unusableAt =
        end - Math.min(Math.min(settings.unusableBefore().toMillis(), lifetime / 10), staleMargin);
    // A clock that was set back makes a token look younger than it is: beyond the margin that its
    // use allows for, it is asked for again.
    this.freshFrom = now - staleMargin;
  }

  static IssuedToken of(long generation, Fetched fetched, Instant now, Settings settings)
      throws UnusableTokenException {
    Instant expiry = fetched.token.expiresAt().orElseGet(() -> now.plus(settings.lifetime()));
    long end = expiry.isAfter(Instant.ofEpochMilli(FAR_FUTURE)) ? FAR_FUTURE : millis(expiry);
    if (end <= now.toEpochMilli()) {
      throw new UnusableTokenException(
          "the token source returned a token that expired at "
              + expiry
              + ", and it is "
              + now
              + " now: compare the clocks of this machine and of the issuer");
    }
    return new IssuedToken(generation, fetched, expiry, now.toEpochMilli(), end, settings);
  }

  private static long millis(Instant instant) {
    return instant.isBefore(Instant.EPOCH) ? 0 : instant.toEpochMilli();
  }

  private static Metadata headers(Fetched fetched, boolean withProject) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, fetched.authorization);
    for (Map.Entry<String, List<String>> other : fetched.otherHeaders.entrySet()) {
      boolean project = other.getKey().equals(USER_PROJECT.name());
      if (project && !withProject) {
        continue;
      }
      for (String value : other.getValue()) {
        put(headers, other.getKey(), value);
        if (project) {
          break;
        }
      }
    }
    return headers;
  }

  private static void put(Metadata headers, String name, String value) {
    if (Fetched.isBinary(name)) {
      headers.put(
          Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER),
          Base64.getDecoder().decode(value));
    } else {
      headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    }
  }

  /** Nothing is to be done about it. */
  boolean isFresh(long now) {
    return now < staleAt && now >= freshFrom;
  }

  /** May be sent; while fetches fail there is nothing better until it really ends. */
  boolean isUsable(long now, boolean fetchesFail) {
    return now < (fetchesFail ? expiresAt : unusableAt);
  }

  @Override
  public String toString() {
    return "generation " + generation + ", expires " + expiry;
  }
}
