package dev.channelkit.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.tuple;

import dev.channelkit.event.StackEventListener.TokenRefreshFailed;
import dev.channelkit.event.StackEventListener.TokenRefreshed;
import dev.channelkit.event.StackEventListener.TokenRejected;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StackEventsTest {
  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");
  private static final TokenRefreshed REFRESHED =
      new TokenRefreshed(7, Duration.ofMillis(85), NOON);
  private static final TokenRefreshFailed REFRESH_FAILED =
      new TokenRefreshFailed(
          2, Duration.ofSeconds(4), true, new IOException("Bearer do-not-record"));
  private static final TokenRejected REJECTED = new TokenRejected(7);

  private final StackEvents events = new StackEvents();

  @Test
  void every_event_reaches_every_listener_in_the_order_of_registration() {
    List<Object> seen = new ArrayList<>();
    events.addEventListener(recorder("a", seen));
    events.addEventListener(recorder("b", seen));

    events.emit(REFRESHED);
    events.emit(REFRESH_FAILED);
    events.emit(REJECTED);

    assertThat(seen)
        .containsExactly(
            "a",
            REFRESHED,
            "b",
            REFRESHED,
            "a",
            REFRESH_FAILED,
            "b",
            REFRESH_FAILED,
            "a",
            REJECTED,
            "b",
            REJECTED);
  }

  @Test
  void a_closed_registration_ends_its_own_reporting_only_and_closing_twice_is_harmless() {
    List<Object> seen = new ArrayList<>();
    StackEventListener twice = recorder("x", seen);
    EventSource.Registration first = events.addEventListener(twice);
    EventSource.Registration second = events.addEventListener(twice);

    first.close();
    first.close();
    events.emit(REJECTED);
    assertThat(seen).containsExactly("x", REJECTED);

    second.close();
    events.emit(REJECTED);
    assertThat(seen).hasSize(2);
  }

  @Test
  void a_listener_that_throws_is_logged_once_and_the_others_are_still_told() {
    List<Object> seen = new ArrayList<>();
    events.addEventListener(throwing(new IllegalStateException("sink closed")));
    events.addEventListener(throwing(new NoSuchMethodError("old metrics library")));
    events.addEventListener(recorder("after", seen));

    try (LogCapture log = new LogCapture("channelkit.event")) {
      events.emit(REJECTED);
      events.emit(REJECTED);
      events.emit(REJECTED);

      assertThat(seen).hasSize(6);
      assertThat(log.records())
          .extracting(LogRecord::getThrown)
          .satisfiesExactly(
              thrown -> assertThat(thrown).hasMessage("sink closed"),
              thrown -> assertThat(thrown).isInstanceOf(NoSuchMethodError.class));
      assertThat(log.records().get(0).getMessage())
          .contains(StackEventsTest.class.getName())
          .contains("TokenRejected");
    }
  }

  @Test
  void a_null_listener_is_refused_by_name() {
    assertThatNullPointerException()
        .isThrownBy(() -> events.addEventListener(null))
        .withMessage("listener");
  }

  @Test
  void listeners_come_and_go_while_events_are_emitted() throws Exception {
    AtomicInteger kept = new AtomicInteger();
    events.addEventListener(
        new StackEventListener() {
          @Override
          public void onTokenRejected(TokenRejected event) {
            kept.incrementAndGet();
          }
        });
    int threads = 4;
    int rounds = 2_000;
    CountDownLatch go = new CountDownLatch(1);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            pool.submit(
                () -> {
                  go.await();
                  for (int round = 0; round < rounds; round++) {
                    EventSource.Registration mine =
                        events.addEventListener(new StackEventListener() {});
                    events.emit(REJECTED);
                    mine.close();
                  }
                  return null;
                }));
      }
      go.countDown();
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(kept).hasValue(threads * rounds);
  }

  @Test
  void a_flight_recording_holds_the_events_and_no_text_of_a_cause(@TempDir Path folder)
      throws Exception {
    events.emit(REJECTED); // before the recording: the classes load while it is off
    Path file = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      events.emit(REFRESHED);
      events.emit(REFRESH_FAILED);
      events.emit(new TokenRefreshFailed(1, Duration.ZERO, false, null));
      events.emit(REJECTED);
      events.emit(new TokenRefreshed(8, Duration.ofSeconds(Long.MAX_VALUE), Instant.MAX));
      recording.stop();
      recording.dump(file);
    }

    List<RecordedEvent> recorded =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("channelkit."))
            .sorted((a, b) -> a.getStartTime().compareTo(b.getStartTime()))
            .toList();
    assertThat(named(recorded, "channelkit.TokenRefreshed"))
        .extracting(event -> event.getLong("generation"), event -> event.getDuration("fetchTime"))
        .contains(tuple(7L, Duration.ofMillis(85)));
    assertThat(named(recorded, "channelkit.TokenRefreshed").get(0).getInstant("expiresAt"))
        .isEqualTo(NOON);
    assertThat(named(recorded, "channelkit.TokenRefreshed")).hasSize(2);
    assertThat(named(recorded, "channelkit.TokenRefreshFailed"))
        .extracting(
            event -> event.getInt("failuresInARow"),
            event -> event.getDuration("retryAfter"),
            event -> event.getBoolean("permanent"),
            event -> event.getString("causeType"))
        .containsExactly(
            tuple(2, Duration.ofSeconds(4), true, "java.io.IOException"),
            tuple(1, Duration.ZERO, false, ""));
    assertThat(named(recorded, "channelkit.TokenRejected"))
        .extracting(event -> event.getLong("generation"))
        .containsExactly(7L);
    assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
        .doesNotContain("do-not-record");
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }

  private static StackEventListener recorder(String name, List<Object> seen) {
    return new StackEventListener() {
      @Override
      public void onTokenRefreshed(TokenRefreshed event) {
        seen.add(name);
        seen.add(event);
      }

      @Override
      public void onTokenRefreshFailed(TokenRefreshFailed event) {
        seen.add(name);
        seen.add(event);
      }

      @Override
      public void onTokenRejected(TokenRejected event) {
        seen.add(name);
        seen.add(event);
      }
    };
  }

  private static StackEventListener throwing(Throwable thrown) {
    return new StackEventListener() {
      @Override
      public void onTokenRejected(TokenRejected event) {
        StackEventsTest.<RuntimeException>sneak(thrown);
      }
    };
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
