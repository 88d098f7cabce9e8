package dev.channelkit.clienttests;

import static org.apache.spark.sql.functions.avg;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Console;
import scala.runtime.BoxedUnit;

/** What the tests do on a session: every kind of call that the official client makes. */
final class Operations {
  private static final StructType PEOPLE =
      new StructType()
          .add("name", DataTypes.StringType, false)
          .add("age", DataTypes.IntegerType, true);

  private Operations() {}

  static List<Operation> all() {
    List<Operation> all = new ArrayList<>();
    all.addAll(analysis());
    all.addAll(execution());
    all.addAll(configuration());
    all.addAll(commands());
    all.addAll(catalog());
    all.addAll(local());
    all.addAll(sessions());
    all.addAll(failures());
    return all;
  }

  private static List<Operation> analysis() {
    return List.of(
        new Operation("version", (spark, folder) -> spark.version()),
        new Operation("schema of a DataFrame", (spark, folder) -> sales(spark).schema().json()),
        new Operation("schema of SQL", (spark, folder) -> everyType(spark).schema().json()),
        new Operation("columns", (spark, folder) -> sales(spark).columns()),
        new Operation("dtypes", (spark, folder) -> sales(spark).dtypes()),
        new Operation("printSchema", (spark, folder) -> printed(() -> sales(spark).printSchema())),
        new Operation(
            "explain",
            (spark, folder) -> printed(() -> sales(spark).filter("region > 1").explain("simple"))),
        new Operation(
            "explain extended",
            (spark, folder) -> printed(() -> sales(spark).groupBy("region").count().explain(true))),
        new Operation(
            "isLocal, isStreaming, inputFiles",
            (spark, folder) ->
                Stream.of(
                    sales(spark).isLocal(), sales(spark).isStreaming(), sales(spark).inputFiles())),
        new Operation(
            "sameSemantics and semanticHash",
            (spark, folder) ->
                Stream.of(sales(spark).sameSemantics(sales(spark)), sales(spark).semanticHash())),
        new Operation(
            "persist, storageLevel, unpersist",
            (spark, folder) -> {
              Dataset<Row> cached = sales(spark).persist();
              String level = cached.storageLevel().toString();
              return Stream.of(level, cached.count(), cached.unpersist().storageLevel().toString());
            }));
  }

  private static List<Operation> execution() {
    return List.of(
        new Operation(
            "sql collect", (spark, folder) -> spark.sql("SELECT 1 AS one").collectAsList()),
        new Operation("every type collected", (spark, folder) -> everyType(spark).collectAsList()),
        new Operation(
            "sql with named and positional arguments",
            (spark, folder) ->
                Stream.of(
                    spark
                        .sql("SELECT :a + 1 AS x, :b AS y", Map.of("a", 41, "b", "text"))
                        .collectAsList(),
                    spark.sql("SELECT ? * 2 AS x", new Object[] {21}).collectAsList())),
        new Operation("range count", (spark, folder) -> spark.range(1000).count()),
        new Operation(
            "join and aggregation",
            (spark, folder) ->
                sales(spark)
                    .join(regions(spark), "region")
                    .groupBy("title")
                    .agg(sum("amount"), avg("amount"), max("id"), count(lit(1)))
                    .orderBy("title")
                    .collectAsList()),
        new Operation("show", (spark, folder) -> printed(() -> sales(spark).show(5, false))),
        new Operation("head", (spark, folder) -> sales(spark).orderBy("id").head()),
        new Operation("takeAsList", (spark, folder) -> sales(spark).orderBy("id").takeAsList(3)),
        new Operation(
            "isEmpty",
            (spark, folder) -> Stream.of(spark.range(0).isEmpty(), spark.range(1).isEmpty())),
        new Operation(
            "describe", (spark, folder) -> sales(spark).describe("amount").collectAsList()),
        new Operation(
            "union, distinct, sort",
            (spark, folder) ->
                spark.range(5).union(spark.range(3, 8)).distinct().sort("id").collectAsList()),
        new Operation(
            "toLocalIterator",
            (spark, folder) -> {
              List<Long> ids = new ArrayList<>();
              Iterator<Long> rows = spark.range(0, 500, 1, 3).toLocalIterator();
              rows.forEachRemaining(ids::add);
              // Left open, it makes the session complain when it is closed.
              ((AutoCloseable) rows).close();
              return ids;
            }),
        new Operation(
            "a result of many batches",
            (spark, folder) ->
                spark.range(0, 200_000, 1, 4).selectExpr("sum(id)", "max(id)").collectAsList()),
        new Operation(
            "observe",
            (spark, folder) -> {
              Observation seen = new Observation("seen");
              long rows = sales(spark).observe(seen, count(lit(1)).as("n")).count();
              return Stream.of(rows, new TreeMap<>(seen.getAsJava()));
            }));
  }

  private static List<Operation> configuration() {
    return List.of(
        new Operation(
            "conf get", (spark, folder) -> spark.conf().get("spark.sql.shuffle.partitions")),
        new Operation(
            "conf set, get, unset",
            (spark, folder) -> {
              spark.conf().set("spark.sql.session.timeZone", "Asia/Tokyo");
              String set = spark.conf().get("spark.sql.session.timeZone");
              List<Row> shown = spark.sql("SELECT hour(timestamp_seconds(0))").collectAsList();
              spark.conf().unset("spark.sql.session.timeZone");
              return Stream.of(set, shown, spark.conf().get("spark.sql.session.timeZone"));
            }),
        new Operation(
            "conf get with default and getOption",
            (spark, folder) ->
                Stream.of(spark.conf().get("no.such", "given"), spark.conf().getOption("no.such"))),
        new Operation(
            "conf isModifiable",
            (spark, folder) ->
                Stream.of(
                    spark.conf().isModifiable("spark.sql.shuffle.partitions"),
                    spark.conf().isModifiable("spark.sql.warehouse.dir"))),
        new Operation(
            "SET through SQL",
            (spark, folder) -> spark.sql("SET spark.sql.shuffle.partitions").collectAsList()));
  }

  private static List<Operation> commands() {
    return List.of(
        new Operation(
            "temporary view",
            (spark, folder) -> {
              sales(spark).createOrReplaceTempView("sales");
              return spark.sql("SELECT count(*), sum(amount) FROM sales").collectAsList();
            }),
        new Operation(
            "write parquet and read it",
            (spark, folder) -> {
              String path = folder.resolve("sales.parquet").toString();
              sales(spark).coalesce(1).write().mode(SaveMode.Overwrite).parquet(path);
              Dataset<Row> read = spark.read().parquet(path);
              return Stream.of(
                  read.schema().json(), read.inputFiles(), read.orderBy("id").collectAsList());
            }),
        new Operation(
            "create, insert, alter, drop a table",
            (spark, folder) -> {
              spark.sql("DROP TABLE IF EXISTS ledger");
              spark.sql("CREATE TABLE ledger (id BIGINT, what STRING) USING parquet");
              spark.sql("INSERT INTO ledger VALUES (1, 'a'), (2, 'b')");
              List<Row> before = spark.sql("SELECT * FROM ledger ORDER BY id").collectAsList();
              spark.sql("ALTER TABLE ledger ADD COLUMNS (more INT)");
              String schema = spark.table("ledger").schema().json();
              spark.sql("DROP TABLE ledger");
              return Stream.of(before, schema, spark.catalog().tableExists("ledger"));
            }),
        new Operation(
            "localCheckpoint",
            (spark, folder) -> sales(spark).localCheckpoint().orderBy("id").takeAsList(2)));
  }

  private static List<Operation> catalog() {
    return List.of(
        new Operation(
            "catalog: current",
            (spark, folder) ->
                Stream.of(spark.catalog().currentCatalog(), spark.catalog().currentDatabase())),
        new Operation(
            "catalog: databases",
            (spark, folder) -> spark.catalog().listDatabases().collectAsList()),
        new Operation(
            "catalog: tables and columns",
            (spark, folder) -> {
              sales(spark).createOrReplaceTempView("listed");
              return Stream.of(
                  spark.catalog().listTables().filter("name = 'listed'").collectAsList(),
                  spark.catalog().listColumns("listed").collectAsList(),
                  spark.catalog().tableExists("listed"),
                  spark.catalog().dropTempView("listed"),
                  spark.catalog().tableExists("listed"));
            }),
        new Operation(
            "catalog: database and function exist",
            (spark, folder) ->
                Stream.of(
                    spark.catalog().databaseExists("default"),
                    spark.catalog().databaseExists("no_such"),
                    spark.catalog().functionExists("upper"),
                    spark.catalog().getFunction("upper"))),
        new Operation(
            "catalog: other database",
            (spark, folder) -> {
              spark.sql("CREATE DATABASE IF NOT EXISTS other");
              spark.catalog().setCurrentDatabase("other");
              String current = spark.catalog().currentDatabase();
              spark.catalog().setCurrentDatabase("default");
              spark.sql("DROP DATABASE other");
              return current;
            }),
        new Operation(
            "catalog: cacheTable",
            (spark, folder) -> {
              sales(spark).createOrReplaceTempView("kept");
              spark.catalog().cacheTable("kept");
              boolean cached = spark.catalog().isCached("kept");
              spark.catalog().uncacheTable("kept");
              return Stream.of(cached, spark.catalog().isCached("kept"));
            }));
  }

  /** The client 4.2.0 asks for settings that a server 4.0.1 does not know: then these fail. */
  private static List<Operation> local() {
    return List.of(
        new Operation(
            "createDataFrame",
            (spark, folder) ->
                spark
                    .createDataFrame(
                        List.of(RowFactory.create("Ann", 41), RowFactory.create("Bob", null)),
                        PEOPLE)
                    .orderBy("name")
                    .collectAsList()),
        new Operation(
            "createDataFrame, large enough to be uploaded",
            (spark, folder) -> {
              String filler = "x".repeat(1000);
              List<Row> rows =
                  IntStream.range(0, 2_000)
                      .mapToObj(age -> RowFactory.create(filler + age % 10, age))
                      .toList();
              return spark
                  .createDataFrame(rows, PEOPLE)
                  .groupBy(col("name").substr(1001, 1))
                  .agg(sum("age"))
                  .orderBy(sum("age"))
                  .collectAsList();
            }),
        new Operation(
            "addArtifact",
            (spark, folder) -> {
              byte[] content = "text".repeat(50_000).getBytes(StandardCharsets.UTF_8);
              spark.addArtifact(content, "dev/channelkit/Nothing.class");
              return "uploaded";
            }));
  }

  private static List<Operation> sessions() {
    return List.of(
        new Operation(
            "newSession sees no temporary view",
            (spark, folder) -> {
              spark.range(3).createOrReplaceTempView("mine");
              try (SparkSession other = spark.newSession()) {
                return List.of(
                    spark.catalog().tableExists("mine"), other.catalog().tableExists("mine"));
              }
            }),
        new Operation(
            "tags and interruption",
            (spark, folder) -> {
              spark.addTag("nightly");
              Object tags = spark.getTags();
              Object interrupted = spark.interruptTag("nightly");
              Object all = spark.interruptAll();
              spark.clearTags();
              return Stream.of(tags, interrupted, all, spark.getTags());
            }));
  }

  private static List<Operation> failures() {
    return List.of(
        new Operation(
            "fails: parse error", (spark, folder) -> spark.sql("SELEC 1").collectAsList()),
        new Operation(
            "fails: table not found",
            (spark, folder) -> spark.sql("SELECT * FROM no_such_table").collectAsList()),
        new Operation(
            "fails: table not found, in a schema question",
            (spark, folder) -> spark.table("no_such_table").schema()),
        new Operation(
            "fails: column not found", (spark, folder) -> sales(spark).select("nope").schema()),
        new Operation(
            "fails: division by zero",
            (spark, folder) -> spark.sql("SELECT id / 0 FROM range(3)").collectAsList()),
        new Operation(
            "fails: raise_error in a task",
            (spark, folder) ->
                spark
                    .range(0, 10, 1, 1)
                    .selectExpr("raise_error(concat('at ', id))")
                    .collectAsList()),
        new Operation(
            "fails: bad cast",
            (spark, folder) -> spark.sql("SELECT CAST('abc' AS INT)").collectAsList()),
        new Operation(
            "fails: unknown conf", (spark, folder) -> spark.conf().get("spark.sql.no.such.key")),
        new Operation(
            "fails: static conf",
            (spark, folder) -> {
              spark.conf().set("spark.sql.warehouse.dir", "/elsewhere");
              return "set";
            }),
        new Operation(
            "fails: path not found",
            (spark, folder) -> spark.read().parquet(folder.resolve("nothing").toString()).count()),
        new Operation(
            "fails: temporary view exists",
            (spark, folder) -> {
              spark.range(1).createOrReplaceTempView("twice");
              spark.range(1).createTempView("twice");
              return "created";
            }),
        new Operation(
            "fails: catalog table not found",
            (spark, folder) -> spark.catalog().getTable("no_such_table")),
        new Operation(
            "fails: catalog database not found",
            (spark, folder) -> spark.catalog().getDatabase("no_such_database")),
        new Operation(
            "fails: union of different widths",
            (spark, folder) -> sales(spark).union(spark.range(1).toDF()).collectAsList()),
        new Operation(
            "fails: unbound argument",
            (spark, folder) -> spark.sql("SELECT :missing").collectAsList()));
  }

  private static Dataset<Row> sales(SparkSession spark) {
    return spark
        .range(0, 40, 1, 2)
        .toDF("id")
        .withColumn("region", col("id").mod(4))
        .withColumn("amount", col("id").multiply(1.5));
  }

  private static Dataset<Row> regions(SparkSession spark) {
    return spark.sql(
        "SELECT * FROM VALUES (0L, 'north'), (1L, 'east'), (2L, 'south') AS t(region, title)");
  }

  private static Dataset<Row> everyType(SparkSession spark) {
    return spark.sql(
        "SELECT true b, 1Y y, 2S s, 3 i, 4L l, 1.5F f, 2.5D d, CAST(1.25 AS DECIMAL(10,2)) m,"
            + " 'text' t, X'0102' x, DATE'2024-02-29' dt, TIMESTAMP'2024-02-29 12:30:00' ts,"
            + " array(1, 2) a, map('k', 1) mp, named_struct('u', 1, 'v', 'w') st, NULL n,"
            + " INTERVAL '1' DAY iv");
  }

  private static String printed(Runnable printing) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Console.withOut(
        out,
        () -> {
          printing.run();
          return BoxedUnit.UNIT;
        });
    return out.toString(StandardCharsets.UTF_8);
  }
}
