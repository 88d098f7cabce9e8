package dev.channelkit.spark;

import dev.channelkit.Flavour;
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
   * A stack with every Spark rule filled in, so that the common case is one line.
   *
   * <p>It turns on what exists and cannot surprise. In this release no part has a Spark rule yet,
   * so the preset expands to {@code InterceptorStack.builder()}: add {@code credentials} where the
   * server wants a token. Parts that arrive later with a rule for Spark are turned on here, and
   * this text will list each with its values.
   *
   * @return a new builder, to which anything can be added; never null
   * @throws IllegalStateException if the gRPC or protobuf of this flavour of the toolkit is not on
   *     the class path; the text names the artifact to use
   */
  public static InterceptorStack.Builder stack() {
    Flavour.requireProtobuf();
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
