package dev.channelkit.newest.offenders.spark;

/** Breaks a rule of architecture on purpose. */
public abstract class IsGenerated extends com.google.protobuf.GeneratedMessage {
  private static final long serialVersionUID = 1L;
}
