package dev.channelkit.newest.offenders.spark;

/** Breaks a rule of architecture on purpose. */
public interface UsesGuavaToo {
  com.google.common.collect.ImmutableList<String> used();
}
