package dev.channelkit.newest.offenders.call;

/** Breaks a rule of architecture on purpose. */
public interface UsesSpark {
  org.apache.spark.connect.proto.Plan used();
}
