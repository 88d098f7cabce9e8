package dev.channelkit.spark;

import dev.channelkit.InterceptorStack;

/**
 * The entry to everything that knows Spark Connect.
 *
 * @since 0.1
 */
public final class SparkConnect {
  private SparkConnect() {}

  /**
   * A stack with every Spark rule filled in.
   *
   * @return a builder; never null
   */
  public static InterceptorStack.Builder stack() {
    return InterceptorStack.builder();
  }
}
