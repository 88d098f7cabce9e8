/** The stack: the parts of this toolkit in their one right order, in front of any gRPC channel. */
@NullMarked
package dev.channelkit;

import org.jspecify.annotations.NullMarked;
