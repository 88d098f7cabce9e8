package dev.channelkit.clienttests;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * What an operation gave: its answer, or the class, condition, state and message of its failure.
 */
record Outcome(String text, boolean failed) {
  /** Operation, session and error ids, and the UUIDs in the names of files that Spark writes. */
  private static final Pattern UUID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** The server numbers expressions and plans through all sessions. */
  private static final Pattern EXPRESSION_ID = Pattern.compile("#\\d+");

  private static final Pattern PLAN_ID = Pattern.compile("plan_id=\\d+");

  static Outcome of(Operation operation, SparkSession spark, Path folder) {
    try {
      return new Outcome(normalised(text(operation.action().on(spark, folder))), false);
    } catch (Exception failure) {
      return new Outcome(normalised(describe(failure)), true);
    }
  }

  private static String describe(Throwable failure) {
    StringBuilder text = new StringBuilder(failure.getClass().getName());
    if (failure instanceof SparkThrowable spark) {
      text.append("\ncondition: ").append(spark.getCondition());
      text.append("\nstate: ").append(spark.getSqlState());
      text.append("\nparameters: ").append(new TreeMap<>(spark.getMessageParameters()));
      text.append("\ncontexts: ").append(spark.getQueryContext().length);
    }
    text.append("\nmessage: ").append(failure.getMessage());
    if (failure.getCause() != null && failure.getCause() != failure) {
      text.append("\ncause: ").append(describe(failure.getCause()));
    }
    return text.toString();
  }

  private static String text(Object answer) {
    if (answer instanceof Object[] array) {
      return text(Arrays.asList(array));
    }
    if (answer instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (answer instanceof List<?> list) {
      return list.stream().map(Outcome::text).collect(Collectors.joining(", ", "[", "]"));
    }
    if (answer instanceof Row row) {
      return IntStream.range(0, row.size())
          .mapToObj(i -> text(row.get(i)))
          .collect(Collectors.joining(", ", "Row(", ")"));
    }
    if (answer instanceof Stream<?> several) {
      return several.map(Outcome::text).collect(Collectors.joining("\n"));
    }
    return String.valueOf(answer);
  }

  private static String normalised(String text) {
    String withoutUuids = UUID.matcher(text).replaceAll("<uuid>");
    String withoutExpressions = EXPRESSION_ID.matcher(withoutUuids).replaceAll("#n");
    return PLAN_ID.matcher(withoutExpressions).replaceAll("plan_id=n");
  }
}
