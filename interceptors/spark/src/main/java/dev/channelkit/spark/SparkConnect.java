package dev.channelkit.spark;

import dev.channelkit.InterceptorStack;
import dev.channelkit.call.MethodSelector;

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

  /**
   * The calls that free something on the server, {@code ReleaseExecute} and {@code ReleaseSession}:
   * never to be held back, and never a sign that a session has died.
   *
   * @return a selector of exactly these two; a method it does not know is not chosen; never null
   */
  public static MethodSelector releaseCalls() {
    return ReleaseCalls.SELECTOR;
  }
}
