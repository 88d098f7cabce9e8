package dev.channelkit.examples.quickstart;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The parts of the quickstart, in the order in which they run. */
final class Parts {
  static final List<Part> ALL = List.of(new CredentialsPart());

  private Parts() {}

  /**
   * The parts to run.
   *
   * @param names as given by the user; "all" means each part; empty means the default ones
   * @throws IllegalArgumentException when a name is unknown; its text lists the parts
   */
  static List<Part> select(List<String> names) {
    if (names.isEmpty()) {
      return ALL.stream().filter(Part::byDefault).toList();
    }
    if (names.contains("all")) {
      return ALL;
    }
    List<Part> selected = new ArrayList<>();
    for (Part part : ALL) {
      if (names.contains(part.name())) {
        selected.add(part);
      }
    }
    for (String name : names) {
      if (selected.stream().noneMatch(part -> part.name().equals(name))) {
        throw new IllegalArgumentException("no part is named '" + name + "'; " + list());
      }
    }
    return selected;
  }

  /** The list for people. */
  static String list() {
    return ALL.stream()
        .map(part -> "%n  %-12s %s".formatted(part.name(), part.what()))
        .collect(
            Collectors.joining(
                "", "the parts are:", "%n  %-12s %s".formatted("all", "each of them")));
  }
}
