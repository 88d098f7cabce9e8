/**
 * What Spark Connect means to the parts of this toolkit: its methods, its sessions, the preset of
 * the stack.
 */
@NullMarked
package dev.channelkit.spark;

import org.jspecify.annotations.NullMarked;
