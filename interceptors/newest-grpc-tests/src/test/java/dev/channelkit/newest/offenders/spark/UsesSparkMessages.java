package dev.channelkit.newest.offenders.spark;

/** Breaks a rule of architecture on purpose. */
public interface UsesSparkMessages {
  org.apache.spark.connect.proto.Plan used();
}
