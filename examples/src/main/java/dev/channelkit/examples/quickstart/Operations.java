package dev.channelkit.examples.quickstart;

import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.connect.SparkSession;

/** What a notebook does all day, in small: short questions, and now and then a query. */
final class Operations {
  /**
   * One operation.
   *
   * @param name for people
   * @param action what to do; every object of it is new, as the client remembers schemas per object
   */
  record Operation(String name, Consumer<SparkSession> action) {}

  static final List<Operation> CYCLE =
      List.of(
          new Operation("schema", spark -> spark.range(1000).schema()),
          new Operation("conf", spark -> spark.conf().get("spark.sql.shuffle.partitions")),
          new Operation("count", spark -> spark.range(1000).count()),
          new Operation("semanticHash", spark -> spark.range(100).semanticHash()),
          new Operation("schema", spark -> spark.range(7).toDF("n").filter("n > 3").schema()),
          new Operation("isLocal", spark -> spark.range(10).isLocal()),
          new Operation("conf", spark -> spark.conf().get("spark.sql.ansi.enabled")),
          new Operation("view", spark -> spark.range(5).createOrReplaceTempView("numbers")),
          new Operation("schema", spark -> spark.table("numbers").schema()),
          new Operation("isStreaming", spark -> spark.range(3).isStreaming()),
          new Operation("schema", spark -> spark.range(9).toDF("m").select("m").schema()),
          new Operation("conf", spark -> spark.conf().get("spark.sql.session.timeZone")),
          new Operation(
              "sql",
              spark -> spark.sql("SELECT id, id * id AS square FROM numbers").collectAsList()),
          new Operation("semanticHash", spark -> spark.table("numbers").semanticHash()),
          new Operation("conf", spark -> spark.conf().get("spark.sql.caseSensitive")),
          new Operation("schema", spark -> spark.range(1000).groupBy("id").count().schema()));

  /** How many kinds there are. */
  static long kinds() {
    return CYCLE.stream().map(Operation::name).distinct().count();
  }

  private Operations() {}
}
