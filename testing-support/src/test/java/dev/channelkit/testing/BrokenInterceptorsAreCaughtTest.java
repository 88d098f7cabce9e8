package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ClientInterceptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Runs the suite against interceptors with one fault each. */
class BrokenInterceptorsAreCaughtTest {

  @Test
  void A1_a_permit_that_is_taken_when_the_call_is_created() throws Exception {
    BrokenInterceptors.PermitAtCreation[] last = new BrokenInterceptors.PermitAtCreation[1];
    Subject subject =
        new Impatient() {
          @Override
          public ClientInterceptor newInterceptor() {
            last[0] = new BrokenInterceptors.PermitAtCreation();
            return last[0];
          }

          @Override
          public Map<String, Long> openCounts() {
            return Map.of("permits", last[0].taken.get());
          }
        };

    assertThat(firstFailureOfCells(subject))
        .contains("A1: interceptCall must be thread-safe and must acquire nothing")
        .contains("permits=1");
    assertThat(firstFailureOfRules(subject)).contains("A1: ").contains("permits=50");
  }

  @Test
  void C4_a_close_that_comes_only_at_half_close() throws Exception {
    Subject subject =
        new Impatient() {
          @Override
          public ClientInterceptor newInterceptor() {
            return new BrokenInterceptors.ClosesAtHalfClose();
          }

          @Override
          public Set<InterceptorTrait> traits() {
            return Set.of(InterceptorTrait.ANSWERS_LOCALLY);
          }
        };

    assertThat(firstFailureOfCells(subject))
        .contains("C4: cancel after start must always lead to exactly one onClose")
        .contains("no onClose within");
  }

  @Test
  void C10_a_prefetch_without_a_buffer() throws Exception {
    Subject subject =
        new Impatient() {
          @Override
          public ClientInterceptor newInterceptor() {
            return new BrokenInterceptors.NaivePrefetch();
          }
        };

    assertThat(firstFailureOfCells(subject))
        .contains("C10: no more messages may be delivered than were requested");
    assertThat(firstFailureOfRules(subject))
        .contains("C10: ")
        .contains("2 delivered while only 1 requested");
  }

  @Test
  void B2_callbacks_off_the_executor_of_the_call() throws Exception {
    ExecutorService own = Executors.newSingleThreadExecutor(SuiteThreads.factory("broken"));
    Subject subject =
        new Impatient() {
          @Override
          public ClientInterceptor newInterceptor() {
            return new BrokenInterceptors.OffTheCallExecutor(own);
          }
        };
    try {
      assertThat(firstFailureOfCells(subject))
          .contains("B2: callbacks must run on the executor of the call options")
          .contains("ran on conformance-broken-1")
          .as("says who waits")
          .contains("ClientCalls.blockingUnaryCall");
    } finally {
      own.shutdownNow();
    }
  }

  @Test
  void C8_a_call_below_that_was_started_although_the_answer_is_local() throws Exception {
    Subject subject =
        new Impatient() {
          @Override
          public ClientInterceptor newInterceptor() {
            return new BrokenInterceptors.StartsAndAnswersLocally();
          }

          @Override
          public Set<InterceptorTrait> traits() {
            return Set.of(InterceptorTrait.ANSWERS_LOCALLY);
          }
        };

    assertThat(firstFailureOfCells(subject))
        .contains("C8: a call that is answered locally must not start a call below")
        .contains("stayed open on the server");
  }

  private static String firstFailureOfCells(Subject subject) throws Exception {
    CellRunner runner = new CellRunner(subject);
    List<String> passed = new ArrayList<>();
    for (Cell cell : Cell.all()) {
      try {
        runner.check(cell);
        passed.add(cell.toString());
      } catch (AssertionError e) {
        return e.getMessage();
      }
    }
    throw new AssertionError("no cell failed, of " + passed.size());
  }

  private static String firstFailureOfRules(Subject subject) throws Exception {
    CellRunner runner = new CellRunner(subject);
    for (RuleCheck rule : RuleCheck.all()) {
      try {
        runner.check(rule);
      } catch (AssertionError e) {
        return e.getMessage();
      }
    }
    throw new AssertionError("no rule check failed");
  }

  /** Waits less long for what will never come. */
  private abstract static class Impatient implements Subject {
    @Override
    public Duration patience() {
      return Duration.ofMillis(500);
    }
  }
}
