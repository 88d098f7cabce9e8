/**
 * The three primitives that every interceptor of this toolkit is built from, and what they share: a
 * call whose delegate is decided later, a call answered without a network, and a listener that is
 * delivered to serially and closed once.
 */
@NullMarked
package dev.channelkit.call;

import org.jspecify.annotations.NullMarked;
