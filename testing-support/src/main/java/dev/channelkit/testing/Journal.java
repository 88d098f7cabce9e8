package dev.channelkit.testing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What happened in one cell: events in order, and the rules that were broken. Thread-safe. */
final class Journal {
  private static final int MOST_EVENTS = 200;

  private final List<String> events = new ArrayList<>();
  private final Set<String> broken = new LinkedHashSet<>();

  synchronized void event(String text) {
    if (events.size() < MOST_EVENTS) {
      events.add(text + " [" + Thread.currentThread().getName() + "]");
    }
  }

  synchronized void broke(Rule rule, String seen) {
    broken.add(rule.brokenBy(seen));
  }

  synchronized boolean isClean() {
    return broken.isEmpty();
  }

  synchronized List<String> events() {
    return List.copyOf(events);
  }

  /** Throws one error with every broken rule and the events that led there. */
  synchronized void throwIfBroken(String title) {
    if (!broken.isEmpty()) {
      throw new AssertionError(
          title
              + "\n  "
              + String.join("\n  ", broken)
              + "\n  events:\n    "
              + String.join("\n    ", events));
    }
  }
}
