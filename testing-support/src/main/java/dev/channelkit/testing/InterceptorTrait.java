package dev.channelkit.testing;

/**
 * What an interceptor may do that a bare channel does not. {@link InterceptorConformance} compares
 * every call with the same call on a bare channel; a trait relaxes exactly one part of that.
 *
 * @since 0.1
 */
public enum InterceptorTrait {
  /** The request may reach the server with more header values than the caller gave. */
  ADDS_REQUEST_HEADERS,
  /**
   * A call may be answered, or failed, without the server. Such a call is not compared with the
   * bare channel; instead it must not have started a call below.
   */
  ANSWERS_LOCALLY,
  /** A call that fails may fail with another status and other trailers than the server sent. */
  REWRITES_ERRORS,
  /** Headers and trailers of the response may hold more than the server sent. */
  ADDS_RESPONSE_METADATA
}
