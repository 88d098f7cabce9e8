package com.example;

import dev.channelkit.InterceptorStack;
import dev.channelkit.spark.SparkConnect;

/** Run without gRPC on the class path. */
public final class WithoutGrpc {
  public static void main(String[] args) {
    try {
      System.out.println("built " + InterceptorStack.builder().build());
    } catch (IllegalStateException e) {
      System.out.println("refused: " + e.getMessage());
    }
    try {
      System.out.println("built " + SparkConnect.stack().build());
    } catch (IllegalStateException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  private WithoutGrpc() {}
}
