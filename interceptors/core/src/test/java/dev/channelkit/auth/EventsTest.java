package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.event.EventSource;
import dev.channelkit.event.StackEventListener;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What listeners are told. */
class EventsTest {
  private final Lab lab = new Lab();
  private final List<Object> events = new ArrayList<>();
  private final StackEventListener listener =
      new StackEventListener() {
        @Override
        public void onTokenRefreshed(TokenRefreshed event) {
          events.add(event);
        }

        @Override
        public void onTokenRefreshFailed(TokenRefreshFailed event) {
          events.add(event);
        }
      };

  @Test
  void fetchesAreReportedWithGenerationDurationAndExpiry() {
    CachedCallCredentials credentials = lab.builder().eventListener(listener).build();
    FakeCall.create().applyTo(credentials);
    lab.clock.advance(Duration.ofMillis(85));
    lab.executor.runAll();

    assertThat(events)
        .containsExactly(
            new StackEventListener.TokenRefreshed(
                1, Duration.ofMillis(85), lab.clock.instant().plus(Duration.ofHours(1))));
  }

  @Test
  void failuresAreReportedWithTheirNumberTheDelayAndTheCause() {
    IOException down = new IOException("down");
    PermanentTokenException revoked = new PermanentTokenException("invalid_grant");
    lab.source.next(
        () -> {
          throw down;
        },
        () -> {
          throw revoked;
        });
    CachedCallCredentials credentials = lab.builder().build();
    EventSource.Registration registration = credentials.addEventListener(listener);
    for (int i = 0; i < 2; i++) {
      FakeCall.create().applyTo(credentials);
      lab.executor.runAll();
    }
    lab.pass(1);
    FakeCall.create().applyTo(credentials);
    lab.pass(30);

    assertThat(events)
        .containsExactly(
            new StackEventListener.TokenRefreshFailed(1, Duration.ZERO, false, down),
            new StackEventListener.TokenRefreshFailed(2, Duration.ofMillis(500), true, revoked),
            new StackEventListener.TokenRefreshFailed(3, Duration.ofMillis(1000), false, null));
    registration.close();
    lab.executor.runAll();
    lab.pass(1);
    FakeCall.create().applyTo(credentials);
    lab.executor.runAll();
    assertThat(events).hasSize(3);
  }
}
