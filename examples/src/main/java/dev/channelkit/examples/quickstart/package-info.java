/** The quickstart: Apache Spark's own Connect server, used bare and with the stack. */
@NullMarked
package dev.channelkit.examples.quickstart;

import org.jspecify.annotations.NullMarked;
