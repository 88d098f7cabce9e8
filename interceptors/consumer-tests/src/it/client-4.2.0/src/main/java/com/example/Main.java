package com.example;

import dev.channelkit.shaded.InterceptorStack;
import dev.channelkit.shaded.spark.SparkConnect;
import org.apache.spark.sql.connect.SparkSession;

/** What a user of the official client writes. */
public final class Main {
  public static void main(String[] args) {
    InterceptorStack stack = SparkConnect.stack().build();
    SparkSession spark =
        SparkSession.builder().remote(args[0]).interceptor(stack.interceptor()).getOrCreate();
    System.out.println("version " + spark.version());
    System.out.println("rows " + spark.range(100).count());
    System.out.println("sum " + spark.sql("SELECT sum(id) FROM range(10)").head().getLong(0));
    spark.close();
  }

  private Main() {}
}
