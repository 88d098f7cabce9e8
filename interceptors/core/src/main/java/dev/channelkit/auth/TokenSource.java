package dev.channelkit.auth;

/**
 * Where tokens come from: a file, a metadata server, an identity provider, a secret store.
 *
 * <p>{@link CachedCallCredentials} asks it once for everybody, on its own executor, never on a
 * transport or caller thread and never with a lock held, so an implementation may block. It is not
 * asked again while an answer is awaited, with one exception: an answer that takes longer than the
 * fetch timeout is given up (the thread is interrupted, what it still returns is ignored), and a
 * later fetch may then overlap with it. It runs in {@code Context.ROOT}: neither the deadline nor
 * the cancellation of the call that happened to start it reaches it.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface TokenSource {
  /**
   * Fetches a token that is good now.
   *
   * @return the token; not null, and not expired
   * @throws PermanentTokenException if asking again is useless until somebody acts: waiting calls
   *     end with {@code UNAUTHENTICATED}, which clients do not retry
   * @throws Exception anything else counts as transient: waiting calls end with {@code
   *     UNAVAILABLE}. An exception of google-auth that says itself that it is not retryable counts
   *     as permanent
   */
  Token fetch() throws Exception;
}
