package dev.channelkit.examples.quickstart;

import dev.channelkit.examples.quickstart.PartResult.Chart;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The pictures of {@link CredentialsPart}. */
final class CredentialCharts {
  private static final double WIDTH = 960;
  private static final double LEFT = 8;
  private static final double RIGHT = 952;

  private CredentialCharts() {}

  static List<Chart> of(Run bare, Run ours, Duration stale, Duration unusable) {
    return List.of(
        new Chart(
            "One second of each run",
            "Each bar is an RPC: the wait for its token, then its time on the wire. Bars in one row"
                + " follow one another.",
            second(bare, ours)),
        new Chart(
            "The life of the tokens, with the stack",
            "A refresh starts in the amber zone, while the old token still serves; the grey strokes"
                + " below are the RPCs.",
            tokens(ours, stale, unusable)),
        new Chart(
            "Milliseconds per operation",
            "Mean time of each kind of operation. What is left with the stack is Spark's own work.",
            operations(bare, ours)));
  }

  private static String second(Run bare, Run ours) {
    // From the third second on: the first fetch and the first plan are over by then.
    double from = 3;
    List<List<RpcLog.Entry>> bareRows = rows(bare, from);
    List<List<RpcLog.Entry>> oursRows = rows(ours, from);
    double rowHeight = 13;
    double oursTop = 34 + bareRows.size() * rowHeight + 34;
    double axis = oursTop + oursRows.size() * rowHeight + 10;
    Svg svg = new Svg(WIDTH, axis + 22, "RPCs of one second, bare and with the stack");
    svg.text("name", "start", LEFT, 22, "bare: a token per RPC");
    legend(svg, 22);
    draw(svg, bareRows, bare, from, 34, rowHeight, "work-bare");
    svg.text("name", "start", LEFT, oursTop - 12, "with the stack");
    draw(svg, oursRows, ours, from, oursTop, rowHeight, "work-ours");
    svg.line("axis", LEFT, axis, RIGHT, axis);
    for (int i = 0; i <= 10; i++) {
      double x = LEFT + (RIGHT - LEFT) * i / 10;
      svg.line("axis", x, axis, x, axis + 4);
      String anchor = i == 0 ? "start" : i == 10 ? "end" : "middle";
      svg.text("tick", anchor, x, axis + 17, i * 100 + " ms");
    }
    return svg.toString();
  }

  private static void legend(Svg svg, double y) {
    svg.rect("wait", RIGHT - 370, y - 9, 12, 10, 2, "");
    svg.text("tick", "start", RIGHT - 353, y, "waiting for a token");
    svg.rect("work-bare", RIGHT - 222, y - 9, 12, 10, 2, "");
    svg.rect("work-ours", RIGHT - 208, y - 9, 12, 10, 2, "");
    svg.text("tick", "start", RIGHT - 191, y, "on the wire and in the server");
  }

  private static List<List<RpcLog.Entry>> rows(Run run, double from) {
    List<List<RpcLog.Entry>> rows = new ArrayList<>();
    for (RpcLog.Entry rpc : run.rpcs()) {
      if (!rpc.sent() || rpc.closeNanos() == 0) {
        continue;
      }
      if (at(run, rpc.closeNanos()) < from || at(run, rpc.startNanos()) > from + 1) {
        continue;
      }
      List<RpcLog.Entry> free = null;
      for (List<RpcLog.Entry> row : rows) {
        if (row.get(row.size() - 1).closeNanos() <= rpc.startNanos()) {
          free = row;
          break;
        }
      }
      if (free == null) {
        free = new ArrayList<>();
        rows.add(free);
      }
      free.add(rpc);
    }
    return rows;
  }

  private static void draw(
      Svg svg,
      List<List<RpcLog.Entry>> rows,
      Run run,
      double from,
      double top,
      double rowHeight,
      String style) {
    for (int i = 0; i < rows.size(); i++) {
      double y = top + i * rowHeight;
      svg.rect("lane", LEFT, y, RIGHT - LEFT, rowHeight - 3, 2, "");
      for (RpcLog.Entry rpc : rows.get(i)) {
        double start = x(at(run, rpc.startNanos()) - from);
        double wire = x(at(run, rpc.wireNanos()) - from);
        double end = x(at(run, rpc.closeNanos()) - from);
        String tip =
            String.format(
                Locale.ROOT,
                "%s: %.1f ms for the token, %.1f ms after",
                rpc.method(),
                (rpc.wireNanos() - rpc.startNanos()) / 1e6,
                (rpc.closeNanos() - rpc.wireNanos()) / 1e6);
        if (wire - start > 0.8) {
          svg.rect("wait", start, y, wire - start, rowHeight - 3, 1.5, tip);
        }
        svg.rect(style, wire, y, Math.max(1, end - wire - 0.5), rowHeight - 3, 1.5, tip);
      }
    }
  }

  private static double at(Run run, long nanos) {
    return (nanos - run.startNanos()) / 1e9;
  }

  private static double x(double secondsInWindow) {
    return LEFT + (RIGHT - LEFT) * Math.min(1, Math.max(0, secondsInWindow));
  }

  private static String tokens(Run run, Duration stale, Duration unusable) {
    // A slow machine runs longer than this; more would only be drawn finer.
    double seconds = Math.min(12, run.wall().toNanos() / 1e9);
    double scale = (RIGHT - LEFT) / seconds;
    Svg svg = new Svg(WIDTH, 182, "Tokens and RPCs over the run with the stack");
    tokenLegend(svg);
    double lane = 26;
    List<TokenSourceModel.Issued> tokens = run.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      TokenSourceModel.Issued token = tokens.get(i);
      double y = 36 + (i % 2) * (lane + 6);
      double requested = since(run, token.requestedAt());
      double issued = since(run, token.issuedAt());
      double end = since(run, token.expiresAt());
      double staleAt = end - stale.toNanos() / 1e9;
      double unusableAt = end - unusable.toNanos() / 1e9;
      String tip =
          String.format(Locale.ROOT, "token %d, %.2f s to %.2f s", token.generation(), issued, end);
      span(svg, "fetch", requested, issued, seconds, scale, y, lane, "its fetch");
      span(svg, "fresh", issued, staleAt, seconds, scale, y, lane, tip);
      span(svg, "stale", staleAt, unusableAt, seconds, scale, y, lane, tip);
      span(svg, "unusable", unusableAt, end, seconds, scale, y, lane, tip);
      double labelAt = LEFT + issued * scale + 8;
      if (labelAt < RIGHT - 60 && issued <= seconds) {
        svg.text("onbar", "start", labelAt, y + 17, "token " + token.generation());
      }
    }
    double y = 36 + 2 * (lane + 6) + 2;
    svg.strokes("call", strokes(run, false, seconds, scale), y, 26);
    svg.strokes("call-waited", strokes(run, true, seconds, scale), y, 26);
    double axis = y + 34;
    svg.line("axis", LEFT, axis, RIGHT, axis);
    for (int i = 0; i <= seconds; i++) {
      double x = LEFT + i * scale;
      svg.line("axis", x, axis, x, axis + 4);
      svg.text("tick", i == 0 ? "start" : "middle", x, axis + 17, i + " s");
    }
    return svg.toString();
  }

  private static double[] strokes(Run run, boolean waited, double seconds, double scale) {
    return run.rpcs().stream()
        .filter(rpc -> run.waited(rpc) == waited)
        .mapToDouble(rpc -> at(run, rpc.startNanos()))
        .filter(second -> second <= seconds)
        .map(second -> LEFT + second * scale)
        .toArray();
  }

  private static void tokenLegend(Svg svg) {
    String[][] items = {
      {"fetch", "fetch"},
      {"fresh", "fresh"},
      {"stale", "served while a refresh runs"},
      {"unusable", "not served any more"},
      {"call-key", "an RPC"},
      {"waited-key", "an RPC that waited"}
    };
    double x = LEFT;
    for (String[] item : items) {
      svg.rect(item[0], x, 11, 12, 10, 2, "");
      svg.text("tick", "start", x + 17, 20, item[1]);
      x += 40 + item[1].length() * 6.4;
    }
  }

  private static void span(
      Svg svg,
      String style,
      double from,
      double to,
      double limit,
      double scale,
      double y,
      double height,
      String tip) {
    double start = Math.max(0, from);
    double end = Math.min(limit, to);
    if (end > start) {
      svg.rect(style, LEFT + start * scale, y, (end - start) * scale, height, 2, tip);
    }
  }

  private static double since(Run run, Instant instant) {
    return Duration.between(run.startedAt(), instant).toNanos() / 1e9;
  }

  private static String operations(Run bare, Run ours) {
    Map<String, Double> left = bare.millisByOperation();
    Map<String, Double> right = ours.millisByOperation();
    double most = left.values().stream().mapToDouble(Double::doubleValue).max().orElse(1);
    double rowHeight = 40;
    double labels = 120;
    double span = RIGHT - LEFT - labels - 110;
    Svg svg = new Svg(WIDTH, left.size() * rowHeight + 34, "Milliseconds per kind of operation");
    svg.rect("work-bare", LEFT, 11, 12, 10, 2, "");
    svg.text("tick", "start", LEFT + 17, 20, "bare");
    svg.rect("work-ours", LEFT + 62, 11, 12, 10, 2, "");
    svg.text("tick", "start", LEFT + 79, 20, "with the stack");
    double y = 34;
    for (Map.Entry<String, Double> row : left.entrySet()) {
      double before = row.getValue();
      double after = right.getOrDefault(row.getKey(), 0.0);
      svg.text("name", "start", LEFT, y + 21, row.getKey());
      bar(svg, "work-bare", LEFT + labels, y, span * before / most, before);
      bar(svg, "work-ours", LEFT + labels, y + 16, span * after / most, after);
      y += rowHeight;
    }
    return svg.toString();
  }

  private static void bar(Svg svg, String style, double x, double y, double width, double value) {
    svg.rect(style, x, y, Math.max(1.5, width), 14, 2, "");
    svg.text(
        "value",
        "start",
        x + Math.max(1.5, width) + 6,
        y + 11,
        String.format(Locale.ROOT, value < 100 ? "%.1f ms" : "%.0f ms", value));
  }
}
