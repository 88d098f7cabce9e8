package dev.channelkit.newest.offenders.event;

/** Breaks a rule of architecture on purpose. */
public interface EventKnowsCall {
  dev.channelkit.newest.offenders.call.UsesProtobuf used();
}
