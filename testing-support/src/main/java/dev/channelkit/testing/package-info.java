/**
 * Test support for Spark Connect clients and for authors of gRPC client interceptors: a real Spark
 * Connect server in a child JVM, a scripted server, a manual clock, and a conformance suite.
 */
@NullMarked
package dev.channelkit.testing;

import org.jspecify.annotations.NullMarked;
