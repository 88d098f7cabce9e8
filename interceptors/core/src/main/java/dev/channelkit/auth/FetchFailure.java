package dev.channelkit.auth;

import com.google.auth.Retryable;
import io.grpc.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Why there is no token: what calls are told, and whether asking again can help. */
final class FetchFailure {
  private static final String PREFIX = "channelkit credentials: no token: ";
  private static final int MAX_DEPTH = 16;

  private final String what;
  final boolean permanent;
  final @Nullable Throwable cause;

  private FetchFailure(String what, boolean permanent, @Nullable Throwable cause) {
    this.what = what;
    this.permanent = permanent;
    this.cause = cause;
  }

  static FetchFailure thrown(Throwable thrown, Redaction redaction) {
    Throwable clean = redaction.clean(thrown);
    String text = redaction.clean(Redaction.describe(thrown));
    boolean permanent = isPermanent(thrown);
    if (thrown instanceof UnusableTokenException) {
      return new FetchFailure(redaction.clean(String.valueOf(thrown.getMessage())), false, clean);
    }
    if (permanent) {
      return new FetchFailure(
          "the token source says that asking again is useless ("
              + text
              + "); sign in again or replace the credentials",
          true,
          clean);
    }
    return new FetchFailure("the token source failed (" + text + ")", false, clean);
  }

  static FetchFailure timedOut(Duration timeout) {
    return new FetchFailure(
        "the token source did not answer within "
            + timeout
            + " (option fetchTimeout); look where it hangs or allow it more time",
        false,
        null);
  }

  static FetchFailure rejected(String option, Throwable thrown, Redaction redaction) {
    return new FetchFailure(
        "the "
            + option
            + " rejected the fetch ("
            + redaction.clean(Redaction.describe(thrown))
            + "); give one that runs and has room (option "
            + option
            + ")",
        false,
        redaction.clean(thrown));
  }

  /** The status of a call that got no token; {@code waitMillis} until the next fetch. */
  Status status(int failuresInARow, long waitMillis) {
    StringBuilder text = new StringBuilder(PREFIX).append(what);
    if (failuresInARow > 1) {
      text.append("; ").append(failuresInARow).append(" failures in a row");
    }
    if (waitMillis > 0) {
      text.append("; the next fetch is in ").append(waitMillis).append(" ms");
    }
    return (permanent ? Status.UNAUTHENTICATED : Status.UNAVAILABLE)
        .withDescription(text.toString())
        .withCause(cause);
  }

  String what() {
    return what;
  }

  /** The first in the chain that has a word on it decides. */
  private static boolean isPermanent(Throwable thrown) {
    int depth = 0;
    for (Throwable t = thrown; t != null && depth < MAX_DEPTH; t = causeOf(t), depth++) {
      if (t instanceof PermanentTokenException) {
        return true;
      }
      if (t instanceof Retryable retryable) {
        return !isRetryable(retryable);
      }
    }
    return false;
  }

  private static boolean isRetryable(Retryable retryable) {
    try {
      return retryable.isRetryable();
    } catch (Throwable broken) {
      return true;
    }
  }

  /** Its cause; like all of it not ours, so it may throw, and those who wait must still be told. */
  static @Nullable Throwable causeOf(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (Throwable broken) {
      return null;
    }
  }

  @Override
  public String toString() {
    return what;
  }
}
