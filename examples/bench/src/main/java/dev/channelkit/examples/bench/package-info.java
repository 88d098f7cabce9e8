/** Benchmarks with JMH, judged against bars by the median of interleaved pairs. */
@NullMarked
package dev.channelkit.examples.bench;

import org.jspecify.annotations.NullMarked;
