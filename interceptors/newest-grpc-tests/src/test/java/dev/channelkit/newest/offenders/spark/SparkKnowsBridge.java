package dev.channelkit.newest.offenders.spark;

/** Breaks a rule of architecture on purpose. */
public interface SparkKnowsBridge {
  dev.channelkit.newest.offenders.bridge.BridgeKnowsTesting used();
}
