package dev.channelkit.newest.offenders.auth;

/** Breaks a rule of architecture on purpose. */
public interface AuthKnowsMemo {
  dev.channelkit.newest.offenders.memo.MemoKnowsPrefetch used();
}
