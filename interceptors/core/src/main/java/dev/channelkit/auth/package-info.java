/**
 * Call credentials that keep their token: fetched once for everybody, renewed before it ends, and
 * never in the way of a call.
 */
@NullMarked
package dev.channelkit.auth;

import org.jspecify.annotations.NullMarked;
