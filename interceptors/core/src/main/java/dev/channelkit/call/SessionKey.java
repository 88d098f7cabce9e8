package dev.channelkit.call;

import java.util.Objects;

/**
 * Whose calls belong together: the user and the session that a request names.
 *
 * <p>Servers key sessions by both, so two users with the same session id never share state here
 * either.
 *
 * @param userId the user as the request names it; empty when the request names none; never null
 * @param sessionId the session as the request names it; never null
 * @since 0.1
 */
public record SessionKey(String userId, String sessionId) {
  /**
   * Checks that both parts are present.
   *
   * @throws NullPointerException if a part is null
   */
  public SessionKey {
    Objects.requireNonNull(userId, "userId");
    Objects.requireNonNull(sessionId, "sessionId");
  }
}
