package dev.channelkit.newest.offenders.call;

/** Breaks a rule of architecture on purpose. */
public interface UsesInternalClass {
  io.grpc.InternalChannelz used();
}
