package dev.channelkit.event;

/**
 * A part that reports events.
 *
 * @since 0.1
 */
public interface EventSource {
  /**
   * Reports to one more listener from now on.
   *
   * @param listener called on whatever thread the event happens; what it throws is logged once and
   *     goes no further; not null
   * @return ends the reporting when closed; closing twice is harmless
   */
  Registration addEventListener(StackEventListener listener);

  /** Ends a registration. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
