package dev.channelkit.examples.quickstart;

import dev.channelkit.shaded.InterceptorStack;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.sql.connect.SparkSession;

/**
 * A token per RPC against cached credentials.
 *
 * <p>The token takes 85 ms to fetch and lives for 3 s. The run with the stack comes first, so that
 * whatever the server still warms up favours the bare run.
 */
final class CredentialsPart implements Part {
  static final Duration STALE = Duration.ofSeconds(1);
  static final Duration UNUSABLE = Duration.ofMillis(200);
  static final Duration AT_LEAST = Duration.ofSeconds(10);
  static final int OPERATIONS = 200;

  @Override
  public String name() {
    return "credentials";
  }

  @Override
  public String what() {
    return "a token fetched for every RPC against cached credentials that refresh in the background";
  }

  @Override
  public boolean byDefault() {
    return true;
  }

  @Override
  public PartResult run(Stage stage) throws Exception {
    stage.progress().during("credentials: warming the server up", () -> warmUp(stage));
    Run ours = stage.progress().during("credentials: with the stack", () -> ours(stage));
    Run bare = stage.progress().during("credentials: bare, a token per RPC", () -> bare(stage));
    return result(bare, ours);
  }

  private static Run warmUp(Stage stage) throws InterruptedException {
    RpcLog log = new RpcLog(stage.clock(), headers -> 0);
    SparkSession spark = stage.open(List.of(log.outermost(), new FixedToken(stage.token())));
    TokenSourceModel unused = new TokenSourceModel(stage.token(), stage.clock());
    return Run.of(spark, log, unused, Duration.ZERO, 2 * Operations.CYCLE.size());
  }

  private static Run ours(Stage stage) throws InterruptedException {
    TokenSourceModel source = new TokenSourceModel(stage.token(), stage.clock());
    Generations generations = new Generations(() -> source.issued().size());
    RpcLog log = new RpcLog(stage.clock(), generations::of);
    try (InterceptorStack stack = CachedTokens.stack(source, log, STALE, UNUSABLE)) {
      Run run = Run.of(stage.open(List.of(stack.interceptor())), log, source, AT_LEAST, OPERATIONS);
      if (!generations.trustworthy()) {
        throw new IllegalStateException(
            "the tokens of the RPCs cannot be told apart: the measurement is worthless");
      }
      return run;
    }
  }

  private static Run bare(Stage stage) throws InterruptedException {
    TokenSourceModel source = new TokenSourceModel(stage.token(), stage.clock());
    RpcLog log = new RpcLog(stage.clock(), headers -> 0);
    SparkSession spark =
        stage.open(List.of(log.outermost(), new TokenPerCall(source), log.innermost()));
    return Run.of(spark, log, source, AT_LEAST, OPERATIONS);
  }

  PartResult result(Run bare, Run ours) {
    long due = RefreshesDue.count(ours.starts(), ours.tokens(), STALE);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("calls", ours.calls());
    figures.put("bareFetches", (long) bare.tokens().size());
    figures.put("oursFetches", (long) ours.tokens().size());
    figures.put("refreshesDue", due);
    figures.put("callsDelayed", ours.delayed());
    figures.put("sentExpired", ours.sentExpired());
    figures.put("bareMsPerCall", round(bare.millisPerCall()));
    figures.put("oursMsPerCall", round(ours.millisPerCall()));
    Map<String, Map<String, Long>> rpcs = new LinkedHashMap<>();
    rpcs.put("bare", bare.rpcsByMethod());
    rpcs.put("ours", ours.rpcsByMethod());
    return new PartResult(
        this,
        figures,
        rpcs,
        table(bare, ours, due),
        sentences(bare, ours, due),
        tiles(bare, ours, due),
        CredentialCharts.of(bare, ours, STALE, UNUSABLE));
  }

  private static TextTable table(Run bare, Run ours, long due) {
    TextTable table = new TextTable("", "bare", "channelkit");
    table.row("operations", number(bare.operations()), number(ours.operations()));
    table.row("RPCs", number(bare.calls()), number(ours.calls()));
    TreeSet<String> methods = new TreeSet<>(bare.rpcsByMethod().keySet());
    methods.addAll(ours.rpcsByMethod().keySet());
    for (String method : methods) {
      table.row(
          "  " + method,
          number(bare.rpcsByMethod().getOrDefault(method, 0L)),
          number(ours.rpcsByMethod().getOrDefault(method, 0L)));
    }
    table.row("token fetches", number(bare.tokens().size()), number(ours.tokens().size()));
    table.row("  due by the margins", "", number(due));
    table.row("RPCs delayed by a refresh", "", number(ours.delayed()));
    table.row("RPCs sent with an expired token", "", number(ours.sentExpired()));
    table.row("ms per RPC", millis(bare.millisPerCall()), millis(ours.millisPerCall()));
    table.row(
        "ms per operation", millis(bare.millisPerOperation()), millis(ours.millisPerOperation()));
    table.row(
        "ms to get a token, median",
        millis(bare.millisToWire(0.5)),
        millis(ours.millisToWire(0.5)));
    table.row(
        "ms to get a token, 99 %",
        millis(bare.millisToWire(0.99)), millis(ours.millisToWire(0.99)));
    return table;
  }

  private static List<PartResult.Tile> tiles(Run bare, Run ours, long due) {
    return List.of(
        new PartResult.Tile(
            "token fetches",
            number(ours.tokens().size()),
            due + " due; bare " + number(bare.tokens().size())),
        new PartResult.Tile(
            "ms per RPC", millis(ours.millisPerCall()), "bare " + millis(bare.millisPerCall())),
        new PartResult.Tile(
            "RPCs delayed by a refresh", number(ours.delayed()), "of " + number(ours.calls())),
        new PartResult.Tile(
            "sent with an expired token",
            number(ours.sentExpired()),
            "of " + number(ours.calls())));
  }

  private static List<String> sentences(Run bare, Run ours, long due) {
    String fetches =
        String.format(
            Locale.ROOT,
            "%s token fetches for %s RPCs bare; %d for %s RPCs with the stack, where %d were due.",
            number(bare.tokens().size()),
            number(bare.calls()),
            ours.tokens().size(),
            number(ours.calls()),
            due);
    String speed =
        String.format(
            Locale.ROOT,
            "%.1f ms per RPC bare, %.1f ms with the stack: %.1f times as fast.",
            bare.millisPerCall(),
            ours.millisPerCall(),
            bare.millisPerCall() / ours.millisPerCall());
    String quiet =
        String.format(
            Locale.ROOT,
            "With the stack %d RPCs waited for a refresh and %d carried an expired token.",
            ours.delayed(),
            ours.sentExpired());
    return List.of(fetches, speed, quiet);
  }

  private static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String millis(double value) {
    return String.format(Locale.ROOT, value < 1 ? "%.3f" : "%.1f", value);
  }
}
