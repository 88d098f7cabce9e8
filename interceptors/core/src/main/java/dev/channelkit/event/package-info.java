/**
 * What the parts of a stack report: to listeners of the application and to Java Flight Recorder.
 */
@NullMarked
package dev.channelkit.event;

import org.jspecify.annotations.NullMarked;
