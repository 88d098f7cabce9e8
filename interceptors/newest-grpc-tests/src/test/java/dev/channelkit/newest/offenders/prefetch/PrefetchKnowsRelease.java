package dev.channelkit.newest.offenders.prefetch;

/** Breaks a rule of architecture on purpose. */
public interface PrefetchKnowsRelease {
  dev.channelkit.newest.offenders.release.ReleaseKnowsAuth used();
}
