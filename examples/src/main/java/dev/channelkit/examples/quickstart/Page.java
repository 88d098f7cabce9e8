package dev.channelkit.examples.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The report as one HTML file that needs nothing from anywhere. */
final class Page {
  private Page() {}

  static String of(Report report) throws IOException {
    StringBuilder html = new StringBuilder();
    html.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<meta name=\"color-scheme\" content=\"light dark\">\n")
        .append("<title>channelkit quickstart</title>\n<style>\n")
        .append(style())
        .append("</style>\n</head>\n<body>\n<main>\n<header>\n<h1>channelkit quickstart</h1>\n<p>")
        .append("Apache Spark&#8217;s own Connect server ")
        .append(Svg.escape(report.sparkVersion()))
        .append(" and its official JVM client, bare and with the stack, on this machine.")
        .append("</p>\n</header>\n");
    for (PartResult part : report.parts()) {
      part(html, part);
    }
    html.append("<footer>Written by <code>examples/run quickstart</code>; the figures are in")
        .append(" <code>quickstart.json</code> beside this page.</footer>\n")
        .append("</main>\n</body>\n</html>\n");
    return html.toString();
  }

  private static void part(StringBuilder html, PartResult result) {
    html.append("<section>\n<h2>").append(Svg.escape(result.part().name())).append("</h2>\n");
    html.append("<p class=\"what\">").append(Svg.escape(result.part().what())).append("</p>\n");
    if (!result.tiles().isEmpty()) {
      html.append("<div class=\"tiles\">\n");
      for (PartResult.Tile tile : result.tiles()) {
        html.append("<div class=\"tile\"><span class=\"label\">")
            .append(Svg.escape(tile.label()))
            .append("</span><span class=\"value\">")
            .append(Svg.escape(tile.value()))
            .append("</span><span class=\"beside\">")
            .append(Svg.escape(tile.beside()))
            .append("</span></div>\n");
      }
      html.append("</div>\n");
    }
    for (PartResult.Chart chart : result.charts()) {
      html.append("<figure>\n<h3>")
          .append(Svg.escape(chart.title()))
          .append("</h3>\n<div class=\"picture\">")
          .append(chart.svg())
          .append("</div>\n<figcaption>")
          .append(Svg.escape(chart.caption()))
          .append("</figcaption>\n</figure>\n");
    }
    table(html, result.table());
    html.append("</section>\n");
  }

  private static void table(StringBuilder html, TextTable table) {
    List<List<String>> rows = table.rows();
    html.append("<figure>\n<h3>The figures</h3>\n<table>\n");
    for (int r = 0; r < rows.size(); r++) {
      html.append("<tr>");
      for (int c = 0; c < rows.get(r).size(); c++) {
        String cell = rows.get(r).get(c);
        String tag = r == 0 || c == 0 ? "th" : "td";
        html.append('<').append(tag);
        if (cell.startsWith(" ")) {
          html.append(" class=\"sub\"");
        }
        html.append('>').append(Svg.escape(cell.strip())).append("</").append(tag).append('>');
      }
      html.append("</tr>\n");
    }
    html.append("</table>\n</figure>\n");
  }

  private static String style() throws IOException {
    try (InputStream css =
        Objects.requireNonNull(Page.class.getResourceAsStream("page.css"), "page.css")) {
      return new String(css.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
