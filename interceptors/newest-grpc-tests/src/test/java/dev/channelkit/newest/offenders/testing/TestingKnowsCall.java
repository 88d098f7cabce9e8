package dev.channelkit.newest.offenders.testing;

/** Breaks a rule of architecture on purpose. */
public interface TestingKnowsCall {
  dev.channelkit.newest.offenders.call.UsesProtobuf used();
}
