package dev.channelkit.examples.quickstart;

import java.util.ArrayList;
import java.util.List;

/** A table for people: the first column to the left, the others to the right. */
final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... header) {
    rows.add(List.of(header));
  }

  /** Adds a row; with too many or too few cells it is refused. */
  TextTable row(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "a row of " + cells.length + " cells in a table of " + rows.get(0).size() + " columns");
    }
    rows.add(List.of(cells));
    return this;
  }

  /** The header first. */
  List<List<String>> rows() {
    return List.copyOf(rows);
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r).get(i);
        String gap = " ".repeat(widths[i] - cell.length());
        line.append(i == 0 ? cell + gap : "  " + gap + cell);
      }
      text.append(line.toString().stripTrailing()).append('\n');
      if (r == 0) {
        text.append("-".repeat(line.length())).append('\n');
      }
    }
    return text.toString();
  }
}
