package dev.channelkit.newest.offenders.release;

/** Breaks a rule of architecture on purpose. */
public interface ReleaseKnowsAuth {
  dev.channelkit.newest.offenders.auth.AuthKnowsMemo used();
}
