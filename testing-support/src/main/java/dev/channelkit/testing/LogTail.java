package dev.channelkit.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The last lines of a child's output, bounded and without secrets. Thread-safe. */
final class LogTail {
  private static final int MAX_LINES = 2_000;
  private static final int MAX_LINE = 4_000;

  private final ArrayDeque<String> lines = new ArrayDeque<>();
  private final Set<String> secrets;

  LogTail(Set<String> secrets) {
    this.secrets = secrets;
  }

  synchronized void add(String line) {
    String clean = line;
    for (String secret : secrets) {
      clean = clean.replace(secret, "***");
    }
    if (clean.length() > MAX_LINE) {
      clean = clean.substring(0, MAX_LINE) + " ...";
    }
    if (lines.size() == MAX_LINES) {
      lines.removeFirst();
    }
    lines.addLast(clean);
  }

  synchronized boolean contains(String text) {
    return lines.stream().anyMatch(line -> line.contains(text));
  }

  synchronized List<String> last(int count) {
    List<String> all = new ArrayList<>(lines);
    return all.subList(Math.max(0, all.size() - count), all.size());
  }

  synchronized String lastLine() {
    String last = lines.peekLast();
    return last == null ? "" : last;
  }
}
