package dev.channelkit.examples.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The rows of a suite as a table and as JSON. */
record Results(List<Row> rows) {

  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(
        file,
        new ObjectMapper()
                .writerWithDefaultPrettyPrinter()
                .writeValueAsString(rows.stream().map(Row::figures).toList())
            + "\n");
  }

  String table() {
    int width = rows.stream().mapToInt(row -> row.name().length()).max().orElse(4);
    String line = "%-" + width + "s  %4s  %9s  %9s  %6s  %15s  %12s  %s%n";
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            line,
            "case",
            "unit",
            "baseline",
            "ours",
            "ratio",
            "min .. max",
            "bar",
            "verdict"));
    text.append("-".repeat(width + 74)).append(System.lineSeparator());
    for (Row row : rows) {
      Bar bar = row.bar();
      text.append(
          String.format(
              Locale.ROOT,
              line,
              row.name(),
              row.unit(),
              number(row.baseline()),
              number(row.ours()),
              String.format(Locale.ROOT, "%.2f", row.ratio()),
              String.format(Locale.ROOT, "%.2f .. %.2f", row.minRatio(), row.maxRatio()),
              bar == null ? "" : bar.text(row.unit()),
              bar == null ? "" : row.verdict().text()));
    }
    return text.toString();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
