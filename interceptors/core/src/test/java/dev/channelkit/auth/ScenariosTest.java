package dev.channelkit.auth;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What went wrong in the field. {@link ScenarioControlsTest} shows for each that it can fail. */
class ScenariosTest {
  @Test
  @DisplayName("R19 no token yet, 200 threads: one fetch, one value, a failure shared once")
  void coldStartFetchesOnce() throws Exception {
    Scenarios.coldStartFetchesOnce(Subject::ours);
  }

  @Test
  @DisplayName(
      "R21 IOException, RuntimeException, Error, null: each ends only the calls that waited, and a good token serves on")
  void aFailedFetchIsForgotten() throws Exception {
    Scenarios.aFailedFetchIsForgotten(Subject::ours);
  }

  @Test
  @DisplayName("R24 50 calls refused with token A: one fetch")
  void aRefusalDropsItsOwnGenerationOnly() throws Exception {
    Scenarios.aRefusalDropsItsOwnGenerationOnly(Subject::ours);
  }

  @Test
  @DisplayName("R24 a late refusal of token A does not drop token B")
  void aLateRefusalLeavesTheNextTokenAlone() throws Exception {
    Scenarios.aLateRefusalLeavesTheNextTokenAlone(Subject::ours);
  }

  @Test
  @DisplayName("R24 a server that refuses every token: at most one fetch a minute")
  void refusalsDoNotLoop() throws Exception {
    Scenarios.refusalsDoNotLoop(Subject::ours);
  }

  @Test
  @DisplayName(
      "R9 the Context of the call that started the fetch is cancelled: the fetch serves the others")
  void aCancelledCallLeavesTheFetchAlone() throws Exception {
    Scenarios.aCancelledCallLeavesTheFetchAlone(Subject::ours);
  }

  @Test
  @DisplayName("R1 a listener of events that throws inside onClose: the status arrives once")
  void aListenerThatThrowsDoesNotHarmTheCall() throws Exception {
    Scenarios.aListenerThatThrowsDoesNotHarmTheCall(Subject::ours);
  }

  @Test
  @DisplayName(
      "R3 10 000 cancels racing the start of a call that waits for a token: CANCELLED once, nothing escapes")
  void aCancelRacingTheStartEndsTheCallOnce() throws Exception {
    Scenarios.aCancelRacingTheStartEndsTheCallOnce(Subject::ours);
  }

  @Test
  @DisplayName("R7 trailers, unary and mid-stream, arrive byte for byte")
  void trailersArriveUnchanged() throws Exception {
    Scenarios.trailersArriveUnchanged(Subject::ours);
  }

  /** So that a control fails by its fault and not by being naive. */
  @Nested
  class NaiveCredentialsWithoutAFault {
    @Test
    void coldStartFetchesOnce() throws Exception {
      Scenarios.coldStartFetchesOnce(NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void aFailedFetchIsForgotten() throws Exception {
      Scenarios.aFailedFetchIsForgotten(NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void aRefusalDropsItsOwnGenerationOnly() throws Exception {
      Scenarios.aRefusalDropsItsOwnGenerationOnly(
          NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void aLateRefusalLeavesTheNextTokenAlone() throws Exception {
      Scenarios.aLateRefusalLeavesTheNextTokenAlone(
          NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void refusalsDoNotLoop() throws Exception {
      Scenarios.refusalsDoNotLoop(NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void aCancelledCallLeavesTheFetchAlone() throws Exception {
      Scenarios.aCancelledCallLeavesTheFetchAlone(
          NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void aListenerThatThrowsDoesNotHarmTheCall() throws Exception {
      Scenarios.aListenerThatThrowsDoesNotHarmTheCall(
          NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void aCancelRacingTheStartEndsTheCallOnce() throws Exception {
      Scenarios.aCancelRacingTheStartEndsTheCallOnce(
          NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }

    @Test
    void trailersArriveUnchanged() throws Exception {
      Scenarios.trailersArriveUnchanged(NaiveCredentials.with(NaiveCredentials.Fault.NONE));
    }
  }
}
