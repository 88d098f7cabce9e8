package dev.channelkit.newest.offenders.call;

/** Breaks a rule of architecture on purpose. */
public interface UsesProtobuf {
  com.google.protobuf.Message used();
}
