package dev.channelkit.newest.offenders.bridge;

/** Breaks a rule of architecture on purpose. */
public interface BridgeKnowsTesting {
  dev.channelkit.newest.offenders.testing.TestingKnowsCall used();
}
