package dev.channelkit.newest.offenders.auth;

/** Breaks a rule of architecture on purpose. */
public interface AuthKnowsCall {
  dev.channelkit.newest.offenders.call.CallKnowsAuth used();
}
