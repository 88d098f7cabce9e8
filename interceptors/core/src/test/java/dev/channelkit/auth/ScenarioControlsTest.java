package dev.channelkit.auth;

import dev.channelkit.Controls;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shows that the scenarios can fail: each is run on credentials with one fault. */
@Tag("control")
class ScenarioControlsTest {
  private static void fails(String row, NaiveCredentials.Fault fault, Scenario scenario) {
    Controls.assertFails(
        row, "NaiveCredentials." + fault, () -> scenario.on(NaiveCredentials.with(fault)));
  }

  private interface Scenario {
    void on(Subject.Factory factory) throws Exception;
  }

  @Test
  @DisplayName(
      "R19 fails with FETCH_PER_CALLER: no token yet, 200 threads: one fetch, one value, a failure shared once")
  void coldStartFetchesOnceWithFetchPerCaller() {
    fails("R19", NaiveCredentials.Fault.FETCH_PER_CALLER, Scenarios::coldStartFetchesOnce);
  }

  @Test
  @DisplayName(
      "R21 fails with SLOT_KEPT_AFTER_FAILURE: IOException, RuntimeException, Error, null: each ends only the calls that waited, and a good token serves on")
  void aFailedFetchIsForgottenWithSlotKeptAfterFailure() {
    fails(
        "R21", NaiveCredentials.Fault.SLOT_KEPT_AFTER_FAILURE, Scenarios::aFailedFetchIsForgotten);
  }

  @Test
  @DisplayName(
      "R21 fails with ERROR_LEAVES_WAITERS: IOException, RuntimeException, Error, null: each ends only the calls that waited, and a good token serves on")
  void aFailedFetchIsForgottenWithErrorLeavesWaiters() {
    fails("R21", NaiveCredentials.Fault.ERROR_LEAVES_WAITERS, Scenarios::aFailedFetchIsForgotten);
  }

  @Test
  @DisplayName("R24 fails with FETCH_PER_REFUSAL: 50 calls refused with token A: one fetch")
  void aRefusalDropsItsOwnGenerationOnlyWithFetchPerRefusal() {
    fails(
        "R24",
        NaiveCredentials.Fault.FETCH_PER_REFUSAL,
        Scenarios::aRefusalDropsItsOwnGenerationOnly);
  }

  @Test
  @DisplayName(
      "R24 fails with DROPS_ANY_GENERATION: a late refusal of token A does not drop token B")
  void aLateRefusalLeavesTheNextTokenAloneWithDropsAnyGeneration() {
    fails(
        "R24",
        NaiveCredentials.Fault.DROPS_ANY_GENERATION,
        Scenarios::aLateRefusalLeavesTheNextTokenAlone);
  }

  @Test
  @DisplayName(
      "R24 fails with DROPS_WITHOUT_LIMIT: a server that refuses every token: at most one fetch a minute")
  void refusalsDoNotLoopWithDropsWithoutLimit() {
    fails("R24", NaiveCredentials.Fault.DROPS_WITHOUT_LIMIT, Scenarios::refusalsDoNotLoop);
  }

  @Test
  @DisplayName(
      "R9 fails with FETCHES_IN_CALLERS_CONTEXT: the Context of the call that started the fetch is cancelled: the fetch serves the others")
  void aCancelledCallLeavesTheFetchAloneWithFetchesInCallersContext() {
    fails(
        "R9",
        NaiveCredentials.Fault.FETCHES_IN_CALLERS_CONTEXT,
        Scenarios::aCancelledCallLeavesTheFetchAlone);
  }

  @Test
  @DisplayName(
      "R1 fails with LISTENER_NOT_SHIELDED: a listener of events that throws inside onClose: the status arrives once")
  void aListenerThatThrowsDoesNotHarmTheCallWithListenerNotShielded() {
    fails(
        "R1",
        NaiveCredentials.Fault.LISTENER_NOT_SHIELDED,
        Scenarios::aListenerThatThrowsDoesNotHarmTheCall);
  }

  @Test
  @DisplayName(
      "R3 fails with CANCEL_BEFORE_CALL_EXISTS: 10 000 cancels racing the start of a call that waits for a token: CANCELLED once, nothing escapes")
  void aCancelRacingTheStartEndsTheCallOnceWithCancelBeforeCallExists() {
    fails(
        "R3",
        NaiveCredentials.Fault.CANCEL_BEFORE_CALL_EXISTS,
        Scenarios::aCancelRacingTheStartEndsTheCallOnce);
  }

  @Test
  @DisplayName("R7 fails with TRAILERS_LOST: trailers, unary and mid-stream, arrive byte for byte")
  void trailersArriveUnchangedWithTrailersLost() {
    fails("R7", NaiveCredentials.Fault.TRAILERS_LOST, Scenarios::trailersArriveUnchanged);
  }
}
