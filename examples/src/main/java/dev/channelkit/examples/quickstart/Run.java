package dev.channelkit.examples.quickstart;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connect.SparkSession;

/**
 * One measured run of the operations.
 *
 * @param operations how many
 * @param startedAt by the wall clock
 * @param startNanos by {@link System#nanoTime()}
 * @param wall from the first operation until the session is closed
 * @param millisByOperation the mean by name
 * @param rpcs every RPC of the session, its end included, in the order of the starts
 * @param rpcsByMethod the same, counted
 * @param tokens what the source gave out
 */
record Run(
    long operations,
    Instant startedAt,
    long startNanos,
    Duration wall,
    Map<String, Double> millisByOperation,
    List<RpcLog.Entry> rpcs,
    Map<String, Long> rpcsByMethod,
    List<TokenSourceModel.Issued> tokens) {
  /**
   * How long a call that waits for nothing may take until its headers are complete; a call that
   * waits for the fetch it set off takes 85 ms.
   */
  private static final Duration ON_ITS_WAY = Duration.ofMillis(10);

  /** Runs the cycle of operations until both bounds are reached, then closes the session. */
  static Run of(
      SparkSession spark, RpcLog log, TokenSourceModel source, Duration atLeast, int operations)
      throws InterruptedException {
    Map<String, List<Double>> times = new LinkedHashMap<>();
    Instant startedAt = Instant.now();
    long start = System.nanoTime();
    int done = 0;
    while (done < operations || System.nanoTime() - start < atLeast.toNanos()) {
      Operations.Operation operation = Operations.CYCLE.get(done % Operations.CYCLE.size());
      long before = System.nanoTime();
      operation.action().accept(spark);
      times
          .computeIfAbsent(operation.name(), name -> new ArrayList<>())
          .add((System.nanoTime() - before) / 1e6);
      done++;
    }
    log.awaitQuiet(Duration.ofSeconds(10));
    spark.close();
    Duration wall = Duration.ofNanos(System.nanoTime() - start);
    Map<String, Double> means = new LinkedHashMap<>();
    times.forEach(
        (name, millis) ->
            means.put(name, millis.stream().mapToDouble(Double::doubleValue).average().orElse(0)));
    return new Run(
        done, startedAt, start, wall, means, log.entries(), log.byMethod(), source.issued());
  }

  /** RPCs that were made. */
  long calls() {
    return rpcs.size();
  }

  /** The wall time of the run shared out over its RPCs: operations run one after the other. */
  double millisPerCall() {
    return wall.toNanos() / 1e6 / Math.max(1, calls());
  }

  /** The wall time of the run shared out over its operations. */
  double millisPerOperation() {
    return wall.toNanos() / 1e6 / Math.max(1, operations);
  }

  /** How long an RPC took from its start until its headers were complete, as a quantile. */
  double millisToWire(double quantile) {
    double[] waits =
        rpcs.stream()
            .filter(RpcLog.Entry::sent)
            .mapToDouble(rpc -> (rpc.wireNanos() - rpc.startNanos()) / 1e6)
            .sorted()
            .toArray();
    if (waits.length == 0) {
      return 0;
    }
    return waits[Math.min(waits.length - 1, (int) Math.floor(quantile * waits.length))];
  }

  /** RPCs whose token had already ended when it was sent. */
  long sentExpired() {
    Map<Long, Instant> expiry = new LinkedHashMap<>();
    tokens.forEach(token -> expiry.put(token.generation(), token.expiresAt()));
    return rpcs.stream()
        .filter(
            rpc -> {
              Instant sent = rpc.sentAt();
              Instant end = expiry.get(rpc.generation());
              return sent != null && end != null && !sent.isBefore(end);
            })
        .count();
  }

  /** RPCs that waited for a fetch, apart from those that waited for the very first one. */
  long delayed() {
    return rpcs.stream().filter(rpc -> rpc.generation() != 1 && waited(rpc)).count();
  }

  /**
   * Whether a call waited: the token that it carries was still being fetched when it started. A
   * call that was on its way to its headers when the new token came, and could have gone with the
   * old one, waited for nothing.
   */
  boolean waited(RpcLog.Entry rpc) {
    Instant start = rpc.startedAt();
    boolean onItsWay =
        tokens.stream()
            .filter(token -> token.generation() == rpc.generation() - 1)
            .anyMatch(old -> start.isBefore(old.expiresAt().minus(CredentialsPart.UNUSABLE)));
    Instant notBefore = onItsWay ? start.plus(ON_ITS_WAY) : start;
    return tokens.stream()
        .anyMatch(
            token -> token.generation() == rpc.generation() && token.issuedAt().isAfter(notBefore));
  }

  /** When the calls started. */
  List<Instant> starts() {
    return Arrays.asList(rpcs.stream().map(RpcLog.Entry::startedAt).toArray(Instant[]::new));
  }
}
