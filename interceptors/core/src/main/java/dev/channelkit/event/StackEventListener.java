package dev.channelkit.event;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Told what the parts of a stack do. Every method does nothing unless overridden.
 *
 * <p>Called on the thread where the event happens, which may be a transport thread: return quickly
 * and never block. What a method throws, an {@code Error} too, is logged and never reaches a call.
 * No event carries a token.
 *
 * @since 0.1
 */
public interface StackEventListener {
  /**
   * A token was fetched and is used from now on.
   *
   * @param event what happened; never null
   */
  default void onTokenRefreshed(TokenRefreshed event) {}

  /**
   * A fetch of a token failed; the calls that waited for it have been told.
   *
   * @param event what happened; never null
   */
  default void onTokenRefreshFailed(TokenRefreshFailed event) {}

  /**
   * The server answered UNAUTHENTICATED to a call that carried the current token, which was
   * dropped.
   *
   * @param event what happened; never null
   */
  default void onTokenRejected(TokenRejected event) {}

  /**
   * A token was fetched.
   *
   * @param generation the number of the token, counting up from 1
   * @param took how long the fetch took
   * @param expiresAt when the token ends by its source's word, or by the lifetime that its part
   *     assumes where the source does not tell
   */
  record TokenRefreshed(long generation, Duration took, Instant expiresAt) {}

  /**
   * A fetch failed.
   *
   * @param failuresInARow how many fetches in a row have failed, this one included
   * @param retryAfter how long calls fail at once before the next fetch; zero after a first failure
   * @param permanent whether the source said that asking again is useless
   * @param cause what the fetch ended with, its text free of the token; null when it ran out of
   *     time
   */
  record TokenRefreshFailed(
      int failuresInARow, Duration retryAfter, boolean permanent, @Nullable Throwable cause) {}

  /**
   * A token was dropped because the server rejected it.
   *
   * @param generation the number of the token
   */
  record TokenRejected(long generation) {}
}
