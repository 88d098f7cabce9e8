package dev.channelkit.newest.offenders.memo;

/** Breaks a rule of architecture on purpose. */
public interface MemoKnowsPrefetch {
  dev.channelkit.newest.offenders.prefetch.PrefetchKnowsRelease used();
}
