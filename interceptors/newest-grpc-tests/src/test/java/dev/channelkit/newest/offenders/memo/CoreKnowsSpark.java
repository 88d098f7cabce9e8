package dev.channelkit.newest.offenders.memo;

/** Breaks a rule of architecture on purpose. */
public interface CoreKnowsSpark {
  dev.channelkit.newest.offenders.spark.SparkKnowsBridge used();
}
