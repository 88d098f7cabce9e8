package dev.channelkit.auth;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Keeps secrets out of what sources throw: their texts end in statuses, logs and events. */
final class Redaction {
  private static final String HIDDEN = "<hidden>";
  private static final int MAX_DEPTH = 16;
  private static final int MAX_CHECKED = 100;
  private static final int MIN_SECRET = 4;

  // A page of HTML is as long; more helps nobody, and every text is searched many times.
  private static final int MAX_TEXT = 8_192;

  private static final List<Pattern> LOOKS_SECRET =
      List.of(
          Pattern.compile("(?i)(\\bbearer\\s)\\s*[^\\s\"',;\\])}]+"),
          Pattern.compile("(\\b)eyJ[\\w-]{4,}\\.[\\w-]+(?:\\.[\\w-]*)?"),
          Pattern.compile("(\\b)ya29\\.[\\w.-]+"),
          Pattern.compile("(\\b)1//[\\w-]{16,}"),
          Pattern.compile("(://)[^/\\s@]+(?=@)"),
          // A name, a separator and a value: in quotes up to the next one, else up to what ends a
          // value in a header, a form, JSON or the text of a map.
          Pattern.compile(
              "(?i)((?:token|secret|assertion|password|passphrase|private_?key|api[_-]?key"
                  + "|authorization|cookie)(?:\\\\?[\"'])?\\s{0,8}(?:[:=]|%3[ad])\\s{0,8}\\[?)"
                  + "(?:(?:basic|digest|negotiate)\\s+)?(?:\\\\?\"[^\"]++|'[^']++|[^\\s\"',;&}\\]]++)"));

  private final Set<String> secrets = new LinkedHashSet<>();
  private final Set<String> coded = new LinkedHashSet<>();

  Redaction(Collection<String> values) {
    for (String value : values) {
      // A longer one does not fit in a text that is shown.
      if (value.length() >= MIN_SECRET && value.length() <= MAX_TEXT) {
        secrets.add(value);
        // Padding says nothing, and is what encoders leave out first.
        String unpadded = value.replaceFirst("=+$", "");
        if (unpadded.length() >= MIN_SECRET) {
          secrets.add(unpadded);
        }
        code(value.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private void code(byte[] bytes) {
    for (String between : List.of("", ":", " ")) {
      HexFormat hex = HexFormat.ofDelimiter(between);
      coded.add(hex.formatHex(bytes));
      coded.add(hex.withUpperCase().formatHex(bytes));
    }
    String decimal = Arrays.toString(bytes);
    coded.add(decimal.substring(1, decimal.length() - 1));
    for (int offset = 0; offset < 3; offset++) {
      codeBase64(bytes, offset);
    }
  }

  /** As base64 behind other bytes, a user's name for one; only the characters it alone decides. */
  private void codeBase64(byte[] bytes, int offset) {
    byte[] shifted = new byte[offset + bytes.length];
    System.arraycopy(bytes, 0, shifted, offset, bytes.length);
    int from = (offset * 8 + 5) / 6;
    int to = shifted.length * 8 / 6;
    if (to - from >= MIN_SECRET) {
      coded.add(Base64.getEncoder().encodeToString(shifted).substring(from, to));
      coded.add(Base64.getUrlEncoder().encodeToString(shifted).substring(from, to));
    }
  }

  String clean(String text) {
    String cleaned = shortened(text);
    for (String secret : secrets) {
      cleaned = withoutSecret(cleaned, secret);
    }
    for (String secret : coded) {
      cleaned = cleaned.replace(secret, HIDDEN);
    }
    for (Pattern pattern : LOOKS_SECRET) {
      cleaned = pattern.matcher(cleaned).replaceAll("$1" + HIDDEN);
    }
    return cleaned;
  }

  /** Cut between words, because half a secret would not be found. */
  private static String shortened(String text) {
    if (text.length() <= MAX_TEXT) {
      return text;
    }
    int end = MAX_TEXT;
    while (end > 0 && !Character.isWhitespace(text.charAt(end))) {
      end--;
    }
    return text.substring(0, end) + " <" + (text.length() - end) + " more characters>";
  }

  /** Also where it is escaped as in an URL or in JSON, wholly or in part, or in another case. */
  private static String withoutSecret(String text, String secret) {
    Unescaped plain = Unescaped.of(text);
    StringBuilder cleaned = new StringBuilder();
    int copied = 0;
    for (int at = plain.find(secret, 0); at >= 0; at = plain.find(secret, at + secret.length())) {
      cleaned.append(text, copied, plain.starts[at]).append(HIDDEN);
      copied = plain.starts[at + secret.length()];
    }
    return copied == 0 ? text : cleaned.append(text, copied, text.length()).toString();
  }

  /** The same instance if no text in its chain shows a secret, else a copy that shows none. */
  Throwable clean(Throwable thrown) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    return isClean(thrown, 0, seen) ? thrown : copy(thrown, 0);
  }

  /** What a throwable says of itself; it is not ours and may throw even here. */
  static String describe(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (Throwable broken) {
      return thrown.getClass().getName();
    }
  }

  private boolean isClean(@Nullable Throwable thrown, int depth, Set<Throwable> seen) {
    if (thrown == null || !seen.add(thrown)) {
      return true;
    }
    if (depth >= MAX_DEPTH || seen.size() > MAX_CHECKED) {
      return false;
    }
    try {
      // Not by describe: one that cannot tell what it says is replaced, or it breaks those who
      // print it.
      if (!shows(thrown.toString()) || !shows(thrown.getMessage())) {
        return false;
      }
      for (Throwable suppressed : thrown.getSuppressed()) {
        if (!isClean(suppressed, depth + 1, seen)) {
          return false;
        }
      }
      return isClean(thrown.getCause(), depth + 1, seen);
    } catch (Throwable broken) {
      return false;
    }
  }

  /** Whether a text may be shown as it is. */
  private boolean shows(@Nullable String text) {
    return text == null || clean(text).equals(text);
  }

  private RedactedException copy(Throwable thrown, int depth) {
    Throwable cause = depth >= MAX_DEPTH ? null : FetchFailure.causeOf(thrown);
    RedactedException copy =
        new RedactedException(
            clean(describe(thrown)), cause == null ? null : copy(cause, depth + 1));
    try {
      copy.setStackTrace(thrown.getStackTrace());
    } catch (Throwable broken) {
      // It keeps the trace of this place.
    }
    return copy;
  }

  /** Stands for an exception whose text showed a secret. */
  private static final class RedactedException extends Exception {
    private static final long serialVersionUID = 1L;

    RedactedException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** A text with its escapes undone. */
  private static final class Unescaped {
    private final String chars;

    /** Where each character began in the text, and the end of the text. */
    private final int[] starts;

    private Unescaped(String chars, int[] starts) {
      this.chars = chars;
      this.starts = starts;
    }

    static Unescaped of(String text) {
      StringBuilder chars = new StringBuilder(text.length());
      int[] starts = new int[text.length() + 1];
      int at = 0;
      while (at < text.length()) {
        starts[chars.length()] = at;
        char c = text.charAt(at);
        int code = -1;
        int length = 1;
        if (c == '%') {
          length = 3;
          code = hex(text, at + 1, 2);
        } else if (c == '\\' && at + 1 < text.length()) {
          boolean unicode = text.charAt(at + 1) == 'u';
          length = unicode ? 6 : 2;
          code = unicode ? hex(text, at + 2, 4) : text.charAt(at + 1);
        } else if (text.startsWith("&amp;", at)) {
          length = 5;
          code = '&';
        }
        chars.append(code < 0 ? c : (char) code);
        at += code < 0 ? 1 : length;
      }
      starts[chars.length()] = text.length();
      return new Unescaped(chars.toString(), starts);
    }

    private static int hex(String text, int from, int digits) {
      int value = 0;
      for (int i = from; i < from + digits; i++) {
        int digit = i < text.length() ? Character.digit(text.charAt(i), 16) : -1;
        if (digit < 0) {
          return -1;
        }
        value = value * 16 + digit;
      }
      return value;
    }

    int find(String secret, int from) {
      for (int at = from; at <= chars.length() - secret.length(); at++) {
        if (chars.regionMatches(true, at, secret, 0, secret.length())) {
          return at;
        }
      }
      return -1;
    }
  }
}
