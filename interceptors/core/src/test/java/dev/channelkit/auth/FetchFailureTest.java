package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.auth.Retryable;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A source, an executor or a scheduler that does not do its part. */
class FetchFailureTest {
  private static final TokenSource DOWN =
      () -> {
        throw new IOException("connection refused");
      };

  private final Lab lab = new Lab();

  static Stream<Named<TokenSource>> failures() {
    Lab expired = new Lab();
    return Stream.of(
        Named.of("throws an IOException", DOWN),
        Named.of(
            "throws a RuntimeException",
            () -> {
              throw new IllegalStateException("no config");
            }),
        Named.of(
            "throws an Error",
            () -> {
              throw new NoSuchMethodError("lib.Missing.method");
            }),
        Named.of(
            "throws something whose text throws",
            () -> {
              throw new RuntimeException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                  throw new IllegalStateException("no text");
                }
              };
            }),
        Named.of("returns null", () -> null),
        Named.of(
            "returns an expired token",
            () -> Token.of("too-late", expired.clock.instant().minusSeconds(1))),
        Named.of(
            "returns a token a header cannot carry", () -> Token.withoutExpiry("line\nbreak")));
  }

  @ParameterizedTest
  @MethodSource("failures")
  @DisplayName("Each failure ends only the calls that waited for it, once; the next call works")
  void endsOnlyTheCallsThatWaited(TokenSource failing) {
    CachedCallCredentials credentials = lab.builder().build();
    lab.source.next(failing);
    FakeCall one = FakeCall.create().applyTo(credentials);
    FakeCall two = FakeCall.create().applyTo(credentials);

    lab.executor.runAll();

    assertThat(one.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(one.status().getDescription()).startsWith("channelkit credentials: no token: ");
    assertThat(two.status()).isSameAs(one.status());
    assertThat(lab.source.fetches()).isEqualTo(1);

    FakeCall next = FakeCall.create().applyTo(credentials);
    lab.executor.runAll();
    assertThat(next.token()).isEqualTo("Bearer secret-2");
  }

  @Test
  void theTextSaysWhatHappened() {
    assertThat(failWith(() -> null).getDescription()).contains("returned null");
    assertThat(failWith(() -> Token.of("too-late", lab.clock.instant())).getDescription())
        .contains("expired at 2030-01-01T00:00:00Z")
        .contains("clocks");
    assertThat(failWith(DOWN).getDescription()).contains("java.io.IOException: connection refused");
  }

  private Status failWith(TokenSource failing) {
    CachedCallCredentials credentials = lab.builder(failing).build();
    FakeCall call = FakeCall.create().applyTo(credentials);
    lab.executor.runAll();
    return call.status();
  }

  @Nested
  @DisplayName("E4 the code is the policy")
  class Codes {
    @Test
    void transientIsUnavailable() {
      assertThat(failWith(DOWN).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void permanentIsUnauthenticatedWhateverItIsWrappedIn() {
      IOException revoked = new PermanentTokenException("invalid_grant: the grant was revoked");
      Status direct =
          failWith(
              () -> {
                throw revoked;
              });
      Status wrapped =
          failWith(
              () -> {
                throw new IllegalStateException(new IOException(revoked));
              });

      assertThat(direct.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(direct.getDescription()).contains("invalid_grant").contains("sign in again");
      assertThat(direct.getCause()).isSameAs(revoked);
      assertThat(wrapped.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void googleAuthSaysItselfWhetherItIsRetryable() {
      assertThat(failWith(throwing(true)).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(failWith(throwing(false)).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    private TokenSource throwing(boolean retryable) {
      class Said extends IOException implements Retryable {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean isRetryable() {
          return retryable;
        }

        @Override
        public int getRetryCount() {
          return 3;
        }
      }
      return () -> {
        throw new IOException(new Said());
      };
    }
  }

  @Nested
  class BackOff {
    @Test
    void theCallAfterASingleFailureFetchesAgainAtOnce() {
      CachedCallCredentials credentials = lab.builder().build();
      lab.source.next(DOWN);
      FakeCall.create().applyTo(credentials);
      lab.executor.runAll();

      FakeCall.create().applyTo(credentials);

      assertThat(lab.executor.held()).isEqualTo(1);
    }

    @Test
    void fromTheSecondFailureOnCallsFailAtOnceWithTheLastCause() {
      CachedCallCredentials credentials = failedTwice();

      FakeCall during = FakeCall.create().applyTo(credentials);
      assertThat(during.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(during.status().getDescription())
          .contains("connection refused")
          .contains("2 failures in a row")
          .contains("next fetch is in 500 ms");
      assertThat(lab.executor.held()).isZero();

      lab.clock.advance(Duration.ofMillis(500));
      FakeCall after = FakeCall.create().applyTo(credentials);
      lab.executor.runAll();
      assertThat(after.token()).isEqualTo("Bearer secret-3");
    }

    @Test
    void theDelayDoublesUpToAMinuteAndASuccessEndsIt() {
      CachedCallCredentials credentials = lab.builder().build();
      long[] expected = {0, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
      for (long millis : expected) {
        lab.source.next(DOWN);
        FakeCall.create().applyTo(credentials);
        assertThat(lab.executor.held()).isEqualTo(1);
        lab.executor.runAll();
        if (millis > 0) {
          lab.clock.advance(Duration.ofMillis(millis - 1));
          FakeCall.create().applyTo(credentials).status();
          lab.clock.advance(Duration.ofMillis(1));
        }
      }
      FakeCall.create().applyTo(credentials);
      lab.executor.runAll();
      assertThat(FakeCall.create().applyTo(credentials).token()).isEqualTo("Bearer secret-10");
    }

    @Test
    void chanceLengthensTheDelayByUpToDouble() {
      assertThat(Backoff.delayMillis(1, () -> -1L)).isZero();
      assertThat(Backoff.delayMillis(2, () -> 0L)).isEqualTo(500);
      assertThat(Backoff.delayMillis(2, () -> -1L)).isEqualTo(1000);
      assertThat(Backoff.delayMillis(1000, () -> 0L)).isEqualTo(30_000);
      assertThat(Backoff.delayMillis(Integer.MAX_VALUE, () -> -1L)).isEqualTo(60_000);
    }
  }

  private CachedCallCredentials failedTwice() {
    CachedCallCredentials credentials = lab.builder().build();
    lab.source.next(DOWN, DOWN);
    for (int i = 0; i < 2; i++) {
      FakeCall.create().applyTo(credentials);
      lab.executor.runAll();
    }
    return credentials;
  }

  @Nested
  class WithAGoodToken {
    @Test
    void itIsUsedUntilItsRealExpiryWhileFetchesFail() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.source.next(java.util.Collections.nCopies(30, DOWN).toArray(new TokenSource[0]));
      lab.pass(3300);
      for (int i = 0; i < 299; i++) {
        assertThat(FakeCall.create().applyTo(credentials).token()).isEqualTo("Bearer secret-1");
        lab.executor.runAll();
        lab.pass(1);
      }
      assertThat(lab.source.fetches()).isBetween(5, 20);
    }

    @Test
    void aCallThatWaitsInTheLastSecondsGetsItWhenTheFetchFails() {
      CachedCallCredentials credentials = lab.warm(lab.builder());
      lab.source.next(DOWN);
      lab.pass(3580);
      FakeCall waiting = FakeCall.create().applyTo(credentials);
      assertThat(waiting.ended()).isFalse();

      lab.executor.runAll();

      assertThat(waiting.token()).isEqualTo("Bearer secret-1");
      lab.pass(20);
      FakeCall after = FakeCall.create().applyTo(credentials);
      lab.executor.runAll();
      assertThat(after.token()).isEqualTo("Bearer secret-3");
    }
  }

  @Nested
  class Hanging {
    @Test
    @DisplayName("E3 a source that never answers: the call ends when the fetch timeout has passed")
    void aHungFetchFreesItsSlot() throws Exception {
      CountDownLatch hanging = new CountDownLatch(1);
      CountDownLatch interrupted = new CountDownLatch(1);
      lab.source.next(
          () -> {
            hanging.countDown();
            try {
              new CountDownLatch(1).await();
            } finally {
              interrupted.countDown();
            }
            return null;
          });
      CachedCallCredentials credentials =
          lab.builder().executor(task -> daemon(task)).fetchTimeout(Duration.ofSeconds(7)).build();
      FakeCall hung = FakeCall.create().applyTo(credentials);
      assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();

      lab.clock.advance(Duration.ofMillis(6999));
      assertThat(hung.ended()).isFalse();
      lab.clock.advance(Duration.ofMillis(1));

      assertThat(hung.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(hung.status().getDescription()).contains("PT7S").contains("fetchTimeout");
      assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();

      assertThat(credentials.token().toCompletableFuture().get(10, TimeUnit.SECONDS).value())
          .isEqualTo("secret-2");
    }

    @Test
    void whatAGivenUpFetchStillReturnsIsIgnored() {
      HeldExecutor late = new HeldExecutor();
      CachedCallCredentials credentials = lab.builder().executor(late).build();
      FakeCall hung = FakeCall.create().applyTo(credentials);
      lab.pass(30);
      hung.status();

      FakeCall next = FakeCall.create().applyTo(credentials);
      late.runAll();

      // The first task was cancelled before it ran, so the second one is the first fetch.
      assertThat(next.token()).isEqualTo("Bearer secret-1");
      assertThat(credentials.toString()).contains("generation 1");
    }

    private void daemon(Runnable task) {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
    }
  }

  @Nested
  @DisplayName("E6 a rejecting executor does not occupy the slot")
  class Rejecting {
    @Test
    void executor() {
      AtomicBoolean reject = new AtomicBoolean(true);
      CachedCallCredentials credentials =
          lab.builder()
              .executor(
                  task -> {
                    if (reject.get()) {
                      throw new RejectedExecutionException("full");
                    }
                    task.run();
                  })
              .build();

      Status status = FakeCall.create().applyTo(credentials).status();
      reject.set(false);

      assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(status.getDescription()).contains("executor rejected");
      assertThat(FakeCall.create().applyTo(credentials).token()).isEqualTo("Bearer secret-1");
      assertThat(lab.scheduler.pendingCount()).isZero();
    }

    @Test
    void scheduler() {
      lab.scheduler.shutdown();
      Status status = FakeCall.create().applyTo(lab.builder().build()).status();

      assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(status.getDescription()).contains("scheduler rejected");
    }

    @Test
    void appExecutorIsReplacedByTheThreadAtHand() {
      CachedCallCredentials credentials = lab.builder().build();
      FakeCall call =
          FakeCall.create()
              .applyTo(
                  credentials,
                  task -> {
                    throw new RejectedExecutionException("full");
                  });
      lab.executor.runAll();

      assertThat(call.token()).isEqualTo("Bearer secret-1");
    }
  }

  @Test
  void oneWaiterThatThrowsDoesNotHarmTheOthers() {
    CachedCallCredentials credentials = lab.builder().build();
    FakeCall first =
        FakeCall.create()
            .applyTo(
                credentials,
                task -> {
                  task.run();
                  throw new AssertionError("an executor's own trouble");
                });
    FakeCall second = FakeCall.create().applyTo(credentials);

    lab.executor.runAll();

    assertThat(first.token()).isEqualTo("Bearer secret-1");
    assertThat(second.token()).isEqualTo("Bearer secret-1");
  }

  @Test
  void tokenFailsWithTheStatusOfACall() {
    CachedCallCredentials credentials = lab.builder(DOWN).build();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    credentials.token().whenComplete((token, thrown) -> failure.set(thrown));
    lab.executor.runAll();

    assertThat(Status.fromThrowable(failure.get()).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
  }

  @Test
  void anExceptionWhoseOwnMethodsThrowIsToldAtOnce() {
    TokenSource hostile =
        () -> {
          throw new IllegalStateException("no config") {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Throwable getCause() {
              throw new UnsupportedOperationException("cause");
            }

            @Override
            public StackTraceElement[] getStackTrace() {
              throw new UnsupportedOperationException("trace");
            }
          };
        };
    CachedCallCredentials credentials = lab.builder(hostile).executor(Runnable::run).build();

    Status status = FakeCall.create().applyTo(credentials).status();

    assertThat(status.getDescription()).contains("token source failed").contains("no config");
  }

  @Test
  void aRandomGeneratorThatThrowsDelaysNobody() {
    CachedCallCredentials credentials =
        lab.builder(DOWN)
            .executor(Runnable::run)
            .random(
                () -> {
                  throw new IllegalStateException("no entropy");
                })
            .build();
    FakeCall.create().applyTo(credentials).status();

    Status second = FakeCall.create().applyTo(credentials).status();

    assertThat(second.getDescription()).contains("2 failures in a row", "in 500 ms");
  }

  @Test
  void aClockThatThrowsWhileTheFetchRunsFailsTheCallAndTheNextOneWorks() {
    AtomicBoolean broken = new AtomicBoolean();
    CachedCallCredentials credentials =
        lab.builder()
            .clock(
                () -> {
                  if (broken.get()) {
                    throw new IllegalStateException("clock stands");
                  }
                  return lab.clock.instant();
                })
            .build();
    FakeCall call = FakeCall.create().applyTo(credentials);
    broken.set(true);
    lab.executor.runAll();
    assertThat(call.status().getDescription()).contains("clock stands");

    broken.set(false);
    FakeCall next = FakeCall.create().applyTo(credentials);
    lab.executor.runAll();
    assertThat(next.token()).isEqualTo("Bearer secret-2");
  }
}
