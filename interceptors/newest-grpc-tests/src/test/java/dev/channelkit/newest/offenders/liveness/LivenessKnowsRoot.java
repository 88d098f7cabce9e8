package dev.channelkit.newest.offenders.liveness;

/** Breaks a rule of architecture on purpose. */
public interface LivenessKnowsRoot {
  dev.channelkit.newest.offenders.Root used();
}
