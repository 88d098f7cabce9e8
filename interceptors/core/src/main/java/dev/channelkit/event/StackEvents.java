package dev.channelkit.event;

import dev.channelkit.event.StackEventListener.TokenRefreshFailed;
import dev.channelkit.event.StackEventListener.TokenRefreshed;
import dev.channelkit.event.StackEventListener.TokenRejected;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/**
 * Tells listeners and Java Flight Recorder what a part does, and keeps both away from the calls.
 *
 * <p>Each part owns one. {@code emit} returns normally whatever a listener does: what one throws,
 * an {@code Error} too, is logged once per registration to the logger {@code channelkit.event}, and
 * the listeners after it are still told. Listeners run on the emitting thread, in the order of
 * their registration, with no lock held. With no listener and no recording an emit allocates
 * nothing that outlives it.
 *
 * <p>The flight recorder events are named {@code channelkit.TokenRefreshed}, {@code
 * channelkit.TokenRefreshFailed} and {@code channelkit.TokenRejected} in both flavours, and need no
 * setting beyond a running recording. Of a failure they hold the class of the cause, never its
 * text. In a runtime without the module {@code jdk.jfr} they are silently off.
 *
 * <p>Thread-safe.
 *
 * @since 0.1
 */
public final class StackEvents implements EventSource {
  private static final System.Logger LOGGER = System.getLogger("channelkit.event");

  private final CopyOnWriteArrayList<Listening> listeners = new CopyOnWriteArrayList<>();

  /** Starts without a listener. */
  public StackEvents() {}

  /**
   * {@inheritDoc}
   *
   * <p>A listener that is added twice is told twice, until each of its registrations is closed.
   *
   * @throws NullPointerException if {@code listener} is null
   */
  @Override
  public Registration addEventListener(StackEventListener listener) {
    Listening listening = new Listening(Objects.requireNonNull(listener, "listener"));
    listeners.add(listening);
    return () -> listeners.remove(listening);
  }

  /**
   * Reports that a token was fetched.
   *
   * @param event what happened; not null
   */
  public void emit(TokenRefreshed event) {
    FlightEvents.record(event);
    tell(StackEventListener::onTokenRefreshed, event);
  }

  /**
   * Reports that a fetch failed.
   *
   * @param event what happened; not null
   */
  public void emit(TokenRefreshFailed event) {
    FlightEvents.record(event);
    tell(StackEventListener::onTokenRefreshFailed, event);
  }

  /**
   * Reports that the server rejected a token.
   *
   * @param event what happened; not null
   */
  public void emit(TokenRejected event) {
    FlightEvents.record(event);
    tell(StackEventListener::onTokenRejected, event);
  }

  private <E> void tell(BiConsumer<StackEventListener, E> method, E event) {
    if (listeners.isEmpty()) {
      return;
    }
    for (Listening listening : listeners) {
      listening.tell(method, event);
    }
  }

  /** Logs, and bears a logger that fails: this runs inside calls. */
  static void warn(String message, Throwable thrown) {
    try {
      LOGGER.log(Level.WARNING, message, thrown);
    } catch (Throwable ignored) {
      // Nowhere is left to report to.
    }
  }

  /** One registration. Compared by identity, so that closing one leaves its twin. */
  private static final class Listening {
    private final StackEventListener listener;
    private final AtomicBoolean failed = new AtomicBoolean();

    Listening(StackEventListener listener) {
      this.listener = listener;
    }

    <E> void tell(BiConsumer<StackEventListener, E> method, E event) {
      try {
        method.accept(listener, event);
      } catch (Throwable thrown) {
        if (failed.compareAndSet(false, true)) {
          warn(
              "Event listener "
                  + listener.getClass().getName()
                  + " threw on "
                  + event.getClass().getSimpleName()
                  + "; the call goes on, and what else it throws is not logged",
              thrown);
        }
      }
    }
  }
}
