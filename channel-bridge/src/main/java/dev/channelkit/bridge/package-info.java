/**
 * Channels to places that plain gRPC does not reach: a WebSocket tunnel, a loopback gateway and the
 * life cycle of remote sessions.
 */
@NullMarked
package dev.channelkit.bridge;

import org.jspecify.annotations.NullMarked;
