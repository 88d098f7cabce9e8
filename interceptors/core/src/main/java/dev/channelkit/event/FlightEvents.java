package dev.channelkit.event;

import dev.channelkit.event.StackEventListener.TokenRefreshFailed;
import dev.channelkit.event.StackEventListener.TokenRefreshed;
import dev.channelkit.event.StackEventListener.TokenRejected;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

/**
 * The events in Java Flight Recorder.
 *
 * <p>This class itself has no supertype, field or signature of {@code jdk.jfr}, so that it loads in
 * a runtime without that module; the nested events load only where it is present.
 */
@SuppressWarnings("UnusedVariable") // the fields of events are read by the recorder
final class FlightEvents {
  private static final boolean PRESENT = present();
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  private FlightEvents() {}

  static void record(TokenRefreshed event) {
    if (PRESENT) {
      try {
        Refreshed.commit(event);
      } catch (Throwable thrown) {
        failed(thrown);
      }
    }
  }

  static void record(TokenRefreshFailed event) {
    if (PRESENT) {
      try {
        RefreshFailed.commit(event);
      } catch (Throwable thrown) {
        failed(thrown);
      }
    }
  }

  static void record(TokenRejected event) {
    if (PRESENT) {
      try {
        Rejected.commit(event);
      } catch (Throwable thrown) {
        failed(thrown);
      }
    }
  }

  private static boolean present() {
    try {
      Class.forName("jdk.jfr.Event", false, FlightEvents.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  private static void failed(Throwable thrown) {
    if (FAILED.compareAndSet(false, true)) {
      StackEvents.warn("Flight recorder event lost; later losses are not logged", thrown);
    }
  }

  private static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private static long millis(Instant instant) {
    try {
      return instant.toEpochMilli();
    } catch (ArithmeticException tooFar) {
      return instant.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  // Named explicitly: relocation renames the classes, and a recording must read the same in both
  // flavours.

  @Name("channelkit.TokenRefreshed")
  @Label("Token Refreshed")
  @Category("channelkit")
  @Description("A token was fetched and is used from now on")
  @StackTrace(false)
  private static final class Refreshed extends Event {
    @Label("Generation")
    long generation;

    @Label("Fetch Time")
    @Timespan(Timespan.NANOSECONDS)
    long fetchTime;

    @Label("Expires At")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    long expiresAt;

    static void commit(TokenRefreshed from) {
      Refreshed event = new Refreshed();
      if (event.isEnabled()) {
        event.generation = from.generation();
        event.fetchTime = nanos(from.took());
        event.expiresAt = millis(from.expiresAt());
        event.commit();
      }
    }
  }

  @Name("channelkit.TokenRefreshFailed")
  @Label("Token Refresh Failed")
  @Category("channelkit")
  @Description("A fetch of a token failed")
  @StackTrace(false)
  private static final class RefreshFailed extends Event {
    @Label("Failures in a Row")
    int failuresInARow;

    @Label("Retry After")
    @Timespan(Timespan.NANOSECONDS)
    long retryAfter;

    @Label("Permanent")
    boolean permanent;

    // The text of a cause is the application's and could quote what was sent.
    @Label("Cause Type")
    @Description("Class of what the fetch ended with; empty when it ran out of time")
    String causeType = "";

    static void commit(TokenRefreshFailed from) {
      RefreshFailed event = new RefreshFailed();
      if (event.isEnabled()) {
        Throwable cause = from.cause();
        event.failuresInARow = from.failuresInARow();
        event.retryAfter = nanos(from.retryAfter());
        event.permanent = from.permanent();
        event.causeType = cause == null ? "" : cause.getClass().getName();
        event.commit();
      }
    }
  }

  @Name("channelkit.TokenRejected")
  @Label("Token Rejected")
  @Category("channelkit")
  @Description("The server answered UNAUTHENTICATED to the current token, which was dropped")
  @StackTrace(false)
  private static final class Rejected extends Event {
    @Label("Generation")
    long generation;

    static void commit(TokenRejected from) {
      Rejected event = new Rejected();
      if (event.isEnabled()) {
        event.generation = from.generation();
        event.commit();
      }
    }
  }
}
