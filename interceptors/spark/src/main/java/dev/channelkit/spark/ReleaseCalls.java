package dev.channelkit.spark;

import dev.channelkit.call.MethodSelector;
import java.util.Arrays;

/** A class of its own, so that the entry class loads where gRPC is absent. */
final class ReleaseCalls {
  static final MethodSelector SELECTOR =
      MethodSelector.of(
          Arrays.stream(SparkRpc.values())
              .filter(SparkRpc::releases)
              .map(SparkRpc::fullMethodName)
              .toList());

  private ReleaseCalls() {}
}
