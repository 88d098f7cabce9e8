package dev.channelkit.newest.offenders.call;

/** Breaks a rule of architecture on purpose. */
public interface CallKnowsAuth {
  dev.channelkit.newest.offenders.auth.AuthKnowsCall used();
}
