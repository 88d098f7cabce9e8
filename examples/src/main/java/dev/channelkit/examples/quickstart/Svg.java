package dev.channelkit.examples.quickstart;

import java.util.Locale;

/** Writes inline SVG whose colours come from classes of the page's style sheet. */
final class Svg {
  private final StringBuilder body = new StringBuilder();
  private final double width;
  private final double height;
  private final String label;

  Svg(double width, double height, String label) {
    this.width = width;
    this.height = height;
    this.label = label;
  }

  Svg rect(String style, double x, double y, double w, double h, double radius, String tip) {
    body.append(
        format(
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" rx=\"%.1f\"",
            style, x, y, Math.max(0, w), h, radius));
    if (tip.isEmpty()) {
      body.append("/>");
    } else {
      body.append("><title>").append(escape(tip)).append("</title></rect>");
    }
    return this;
  }

  Svg line(String style, double x1, double y1, double x2, double y2) {
    body.append(
        format(
            "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>",
            style, x1, y1, x2, y2));
    return this;
  }

  /** Text at a point; {@code anchor} is start, middle or end. */
  Svg text(String style, String anchor, double x, double y, String text) {
    body.append(
        format(
            "<text class=\"%s\" text-anchor=\"%s\" x=\"%.2f\" y=\"%.2f\">", style, anchor, x, y));
    body.append(escape(text)).append("</text>");
    return this;
  }

  /** Many vertical strokes of one style as one path, so that thousands stay cheap. */
  Svg strokes(String style, double[] xs, double y, double h) {
    StringBuilder path = new StringBuilder();
    for (double x : xs) {
      path.append(format("M%.1f %.1fv%.1f", x, y, h));
    }
    body.append("<path class=\"").append(style).append("\" d=\"").append(path).append("\"/>");
    return this;
  }

  @Override
  public String toString() {
    return format(
            "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">",
            width, height, escape(label))
        + body
        + "</svg>";
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
