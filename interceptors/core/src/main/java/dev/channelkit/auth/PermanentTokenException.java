package dev.channelkit.auth;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Says that a {@link TokenSource} cannot give a token until somebody acts: a revoked grant, a
 * deleted account, a missing permission.
 *
 * <p>Calls that wait end with {@code UNAUTHENTICATED} instead of {@code UNAVAILABLE}, so that no
 * client retries what cannot succeed.
 *
 * @since 0.1
 */
public final class PermanentTokenException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * A failure without a cause.
   *
   * @param message what went wrong and what to do; shown to callers, so without secrets; not null
   */
  public PermanentTokenException(String message) {
    super(message);
  }

  /**
   * A failure with a cause.
   *
   * @param message what went wrong and what to do; shown to callers, so without secrets; not null
   * @param cause what it came from, or null
   */
  public PermanentTokenException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
