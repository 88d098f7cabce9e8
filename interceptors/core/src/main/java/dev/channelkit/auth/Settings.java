package dev.channelkit.auth;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/** What a builder decided, checked. */
record Settings(
    Duration fetchTimeout,
    Duration refreshBefore,
    Duration unusableBefore,
    Duration lifetime,
    boolean retryOnce,
    boolean plaintextToLoopback,
    Executor executor,
    ScheduledExecutorService scheduler,
    InstantSource clock,
    RandomGenerator random) {}
