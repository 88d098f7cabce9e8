package dev.channelkit.auth;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Keeps secrets out of what sources throw: their texts end in statuses, logs and events. */
final class Redaction {
  private static final String HIDDEN = "<hidden>";
  private static final int MAX_DEPTH = 16;
  private static final int MIN_SECRET = 4;

  private static final List<Pattern> LOOKS_SECRET =
      List.of(
          Pattern.compile("(?i)(?<=\\bbearer\\s)\\s*[^\\s\"',;]+"),
          Pattern.compile("\\beyJ[\\w-]{4,}\\.[\\w-]+(?:\\.[\\w-]*)?"),
          Pattern.compile("\\bya29\\.[\\w.-]+"),
          Pattern.compile("\\b1//[\\w-]{16,}"),
          Pattern.compile(
              "(?i)(?<=(?:token|secret|assertion|password|private_key|authorization)\"?[:=])"
                  + "\\s*\"?[^\\s\"',;&}]+"));

  private final List<String> secrets = new ArrayList<>();

  Redaction(Collection<String> values) {
    for (String value : values) {
      if (value.length() >= MIN_SECRET) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        secrets.add(value);
        secrets.add(HexFormat.of().formatHex(bytes));
        secrets.add(HexFormat.of().withUpperCase().formatHex(bytes));
        secrets.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
        secrets.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
      }
    }
  }

  String clean(String text) {
    String cleaned = text;
    for (String secret : secrets) {
      cleaned = cleaned.replace(secret, HIDDEN);
    }
    for (Pattern pattern : LOOKS_SECRET) {
      cleaned = pattern.matcher(cleaned).replaceAll(HIDDEN);
    }
    return cleaned;
  }

  /** The same instance if no text in its chain shows a secret, else a copy that shows none. */
  Throwable clean(Throwable thrown) {
    return isClean(thrown, 0) ? thrown : copy(thrown, 0);
  }

  /** What a throwable says of itself; it is not ours and may throw even here. */
  static String describe(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (Throwable broken) {
      return thrown.getClass().getName();
    }
  }

  private boolean isClean(@Nullable Throwable thrown, int depth) {
    if (thrown == null) {
      return true;
    }
    String text = describe(thrown);
    if (depth >= MAX_DEPTH || !clean(text).equals(text)) {
      return false;
    }
    for (Throwable suppressed : thrown.getSuppressed()) {
      if (!isClean(suppressed, depth + 1)) {
        return false;
      }
    }
    return isClean(thrown.getCause(), depth + 1);
  }

  private RedactedException copy(Throwable thrown, int depth) {
    Throwable cause = depth >= MAX_DEPTH ? null : thrown.getCause();
    RedactedException copy =
        new RedactedException(
            clean(describe(thrown)), cause == null ? null : copy(cause, depth + 1));
    copy.setStackTrace(thrown.getStackTrace());
    return copy;
  }

  /** Stands for an exception whose text showed a secret. */
  private static final class RedactedException extends Exception {
    private static final long serialVersionUID = 1L;

    RedactedException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
