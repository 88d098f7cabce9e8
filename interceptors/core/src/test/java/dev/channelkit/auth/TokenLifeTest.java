package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fresh, stale, unusable: what calls get, and how many fetches that takes. */
class TokenLifeTest {
  private final Lab lab = new Lab();

  private FakeCall call(CachedCallCredentials credentials) {
    return FakeCall.create().applyTo(credentials);
  }

  @Nested
  class Fresh {
    @Test
    @DisplayName("E2 a cached token is applied inline, with no task and no timer")
    void appliedInline() {
      CachedCallCredentials credentials = lab.warm(lab.builder());

      for (int i = 0; i < 100; i++) {
        assertThat(call(credentials).token()).isEqualTo("Bearer secret-1");
      }

      assertThat(lab.source.fetches()).isEqualTo(1);
      assertThat(lab.executor.held()).isZero();
      assertThat(lab.scheduler.pendingCount()).isZero();
    }

    @Test
    void headersAreTheSameObjectForAllCallsAndStayUnchanged() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      io.grpc.Metadata sent = new io.grpc.Metadata();

      sent.merge(call(credentials).headers());
      sent.merge(call(credentials).headers());

      assertThat(call(credentials).headers()).isSameAs(call(credentials).headers());
      assertThat(call(credentials).headers().keys()).containsExactly("authorization");
      assertThat(call(credentials).token()).isEqualTo("Bearer secret-1");
    }
  }

  @Nested
  class Stale {
    @Test
    @DisplayName("One minute left, 100 calls: all go out at once, one fetch in the background")
    void hundredCallsGoOutWhileOneFetchRuns() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.pass(3540);

      for (int i = 0; i < 100; i++) {
        assertThat(call(credentials).token()).isEqualTo("Bearer secret-1");
      }
      assertThat(lab.executor.held()).isEqualTo(1);
      assertThat(lab.source.fetches()).isEqualTo(1);

      lab.executor.runAll();

      assertThat(lab.source.fetches()).isEqualTo(2);
      assertThat(call(credentials).token()).isEqualTo("Bearer secret-2");
      assertThat(lab.scheduler.pendingCount()).isZero();
    }

    @Test
    void beginsFiveMinutesBeforeTheExpiry() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.pass(3299);
      call(credentials).token();
      assertThat(lab.executor.held()).isZero();
      lab.pass(1);
      call(credentials).token();
      assertThat(lab.executor.held()).isEqualTo(1);
    }
  }

  @Nested
  class Unusable {
    @Test
    void callsWaitForTheOneFetchThatRuns() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.pass(3570);

      FakeCall first = call(credentials);
      FakeCall second = call(credentials);
      assertThat(first.ended()).isFalse();
      assertThat(lab.executor.held()).isEqualTo(1);
      lab.executor.runAll();

      assertThat(first.token()).isEqualTo("Bearer secret-2");
      assertThat(second.token()).isEqualTo("Bearer secret-2");
      assertThat(lab.source.fetches()).isEqualTo(2);
    }

    @Test
    void noCallEverCarriesAnExpiredToken() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.source.next(
          () -> {
            throw new java.io.IOException("down");
          });
      lab.pass(3600);

      FakeCall late = call(credentials);
      lab.executor.runAll();

      assertThat(late.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }
  }

  @Nested
  class Margins {
    @Test
    @DisplayName("A token of 3 s with margins of 1 s and 0.2 s is used as its user wrote")
    void shortTokenKeepsTheMarginsGiven() {
      lab.source.lifetime(Duration.ofSeconds(3));
      CachedCallCredentials credentials =
          lab.warm(
              lab.builder()
                  .refreshBefore(Duration.ofSeconds(1))
                  .unusableBefore(Duration.ofMillis(200)));
      lab.clock.advance(Duration.ofMillis(1999));
      call(credentials).token();
      assertThat(lab.executor.held()).isZero();
      lab.clock.advance(Duration.ofMillis(1));
      call(credentials).token();
      assertThat(lab.executor.held()).isEqualTo(1);
      lab.clock.advance(Duration.ofMillis(799));
      assertThat(call(credentials).token()).isEqualTo("Bearer secret-1");
      lab.clock.advance(Duration.ofMillis(1));
      assertThat(call(credentials).ended()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"60", "10", "1"})
    @DisplayName("A short token with the default margins is not fetched without end")
    void shortTokenIsFreshForHalfItsLife(int seconds) {
      lab.source.lifetime(Duration.ofSeconds(seconds));
      CachedCallCredentials credentials = lab.warm(lab.builder());
      long half = seconds * 500L;
      lab.clock.advance(Duration.ofMillis(half - 1));
      call(credentials).token();
      assertThat(lab.executor.held()).isZero();
      lab.clock.advance(Duration.ofMillis(1));
      call(credentials).token();
      assertThat(lab.executor.held()).isEqualTo(1);
      // Nine tenths of its life are used.
      lab.clock.advance(Duration.ofMillis(half * 2 * 4 / 10 - 1));
      assertThat(call(credentials).token()).isEqualTo("Bearer secret-1");
      lab.clock.advance(Duration.ofMillis(1));
      assertThat(call(credentials).ended()).isFalse();
    }

    @Test
    void aSourceWithoutExpiryIsAskedAgainAfterTheLifetimeGiven() {
      CachedCallCredentials credentials =
          lab.warm(
              lab.builder(
                      () -> {
                        lab.source.fetch();
                        return Token.withoutExpiry("fixed-value");
                      })
                  .lifetime(Duration.ofSeconds(100)));
      lab.pass(49);
      call(credentials).token();
      assertThat(lab.executor.held()).isZero();
      lab.pass(1);
      call(credentials).token();
      assertThat(lab.executor.held()).isEqualTo(1);
    }

    @Test
    void anExpiryAtTheEndOfTimeDoesNotOverflow() {
      CachedCallCredentials credentials =
          lab.warm(lab.builder(() -> Token.of("eternal", Instant.MAX)));
      lab.pass(1_000_000_000);

      assertThat(call(credentials).token()).isEqualTo("Bearer eternal");
    }
  }

  @Nested
  @DisplayName("E6 a clock that jumps")
  class ClockJumps {
    @Test
    void forwardMeansAFetch() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.clock.jumpTo(lab.clock.instant().plus(Duration.ofDays(2)));

      FakeCall call = call(credentials);
      lab.executor.runAll();

      assertThat(call.token()).isEqualTo("Bearer secret-2");
    }

    @Test
    void backwardMeansABackgroundFetchNotATokenThatNeverEnds() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.clock.jumpTo(lab.clock.instant().minus(Duration.ofDays(2)));

      assertThat(call(credentials).token()).isEqualTo("Bearer secret-1");
      lab.executor.runAll();

      assertThat(call(credentials).token()).isEqualTo("Bearer secret-2");
      assertThat(lab.source.fetches()).isEqualTo(2);
    }

    @Test
    void backwardEndsTheDelayAfterFailures() {
      CachedCallCredentials credentials = lab.builder().build();
      for (int i = 0; i < 2; i++) {
        lab.source.next(
            () -> {
              throw new java.io.IOException("down");
            });
        call(credentials);
        lab.executor.runAll();
      }
      assertThat(call(credentials).status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      lab.clock.jumpTo(lab.clock.instant().minus(Duration.ofDays(2)));

      FakeCall call = call(credentials);
      lab.executor.runAll();

      assertThat(call.token()).isEqualTo("Bearer secret-3");
    }
  }
}
