/** The code of the README, compiled. */
@NullMarked
package dev.channelkit.examples.snippets;

import org.jspecify.annotations.NullMarked;
