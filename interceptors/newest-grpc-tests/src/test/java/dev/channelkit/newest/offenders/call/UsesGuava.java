package dev.channelkit.newest.offenders.call;

/** Breaks a rule of architecture on purpose. */
public interface UsesGuava {
  com.google.common.collect.ImmutableList<String> used();
}
