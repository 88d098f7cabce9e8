package com.example;

import dev.channelkit.shaded.spark.SparkConnect;

/** Run without the official client on the class path. */
public final class WithoutSpark {
  public static void main(String[] args) {
    try {
      System.out.println("built " + SparkConnect.stack().build());
    } catch (IllegalStateException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  private WithoutSpark() {}
}
