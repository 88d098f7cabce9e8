package dev.channelkit.newest.offenders;

/** Breaks a rule of architecture on purpose. */
public interface Root {}
