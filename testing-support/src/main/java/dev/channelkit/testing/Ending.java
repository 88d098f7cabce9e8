package dev.channelkit.testing;

import java.util.EnumSet;
import java.util.Set;

/** How a call ends, and how closely its outcome must match the one on the bare channel. */
enum Ending {
  OK("OK", Script.ANSWER, Match.EXACT, Rule.H),
  OK_WITHOUT_MESSAGE("OK without a message", Script.ANSWER_NOTHING, Match.EXACT, Rule.H),
  ERROR("error with trailers after messages", Script.FAIL_AFTER_MESSAGES, Match.EXACT, Rule.H),
  TRAILERS_ONLY("Trailers-Only error", Script.TRAILERS_ONLY, Match.EXACT, Rule.H),
  CANCEL_BEFORE_START("cancel before start", Script.ANSWER, Match.OWN, Rule.A1),
  CANCEL_AFTER_START("cancel after start", Script.HOLD, Match.STATUS, Rule.C4),
  CANCEL_AFTER_HALF_CLOSE("cancel after half-close", Script.HOLD, Match.STATUS, Rule.C4),
  CANCEL_RACING_CLOSE("cancel racing close", Script.ON_RELEASE, Match.OWN, Rule.C4),
  DEADLINE_BEFORE_START("deadline passed before start", Script.ANSWER, Match.CODE, Rule.C5),
  DEADLINE("deadline of the call", Script.HOLD, Match.CODE, Rule.C5),
  DEADLINE_OF_CONTEXT("deadline of the Context", Script.HOLD, Match.CODE, Rule.C5),
  CONTEXT_CANCELLED_BEFORE("Context cancelled before start", Script.ANSWER, Match.CODE, Rule.C6),
  CONTEXT_CANCELLED("Context cancelled mid-call", Script.HOLD, Match.CODE, Rule.C6),
  ON_HEADERS_THROWS("listener throws in onHeaders", Script.ANSWER_THEN_HOLD, Match.CODE, Rule.B8),
  ON_HEADERS_ERROR(
      "listener throws an Error in onHeaders", Script.ANSWER_THEN_HOLD, Match.CODE, Rule.B8),
  ON_MESSAGE_THROWS("listener throws in onMessage", Script.ANSWER_THEN_HOLD, Match.CODE, Rule.B8),
  ON_MESSAGE_ERROR(
      "listener throws an Error in onMessage", Script.ANSWER_THEN_HOLD, Match.CODE, Rule.B8),
  ON_READY_THROWS("listener throws in onReady", Script.HOLD, Match.CODE, Rule.B8),
  ON_READY_ERROR("listener throws an Error in onReady", Script.HOLD, Match.CODE, Rule.B8),
  ON_CLOSE_THROWS("listener throws in onClose", Script.ANSWER, Match.EXACT, Rule.B8),
  ON_CLOSE_ERROR("listener throws an Error in onClose", Script.ANSWER, Match.EXACT, Rule.B8),
  SHUTDOWN_BEFORE("channel shut down before", Script.ANSWER, Match.CODE, Rule.H),
  SHUTDOWN("channel shutdown mid-call", Script.ON_RELEASE, Match.EXACT, Rule.H),
  SHUTDOWN_NOW("channel shutdownNow mid-call", Script.HOLD, Match.CODE, Rule.H),
  DROPPED("call created and dropped", Script.ANSWER, Match.OWN, Rule.A1),
  START_THROWS_BELOW("start throws below", Script.ANSWER, Match.OWN, Rule.A5);

  /** What the server does. */
  enum Script {
    ANSWER,
    ANSWER_NOTHING,
    FAIL_AFTER_MESSAGES,
    TRAILERS_ONLY,
    /** Never answers; only a cancellation ends the call. */
    HOLD,
    /**
     * Sends its answer but no status. The in-process transport ignores a cancellation that comes
     * after the status, and would keep messages that nobody asks for until the end of time.
     */
    ANSWER_THEN_HOLD,
    /** Answers when the test releases it. */
    ON_RELEASE
  }

  /** What is compared with the bare channel. */
  enum Match {
    /** Status, description, headers, trailers, messages, and what the caller saw. */
    EXACT,
    /** Status, description, and what the caller saw. */
    STATUS,
    /** Status code and what the caller saw. */
    CODE,
    /** Nothing: the ending has an expectation of its own. */
    OWN
  }

  private static final Set<Ending> THROWING = EnumSet.range(ON_HEADERS_THROWS, ON_CLOSE_ERROR);
  private static final Set<Ending> REJECTABLE =
      EnumSet.of(
          OK,
          OK_WITHOUT_MESSAGE,
          ERROR,
          TRAILERS_ONLY,
          CANCEL_AFTER_START,
          CANCEL_AFTER_HALF_CLOSE,
          DEADLINE,
          CONTEXT_CANCELLED,
          SHUTDOWN_NOW);

  private final String label;
  private final Script script;
  private final Match match;
  private final Rule rule;

  Ending(String label, Script script, Match match, Rule rule) {
    this.label = label;
    this.script = script;
    this.match = match;
    this.rule = rule;
  }

  Script script() {
    return script;
  }

  Match match() {
    return match;
  }

  /** The rule that is broken when a call hangs or stays open with this ending. */
  Rule rule() {
    return rule;
  }

  boolean listenerThrows() {
    return THROWING.contains(this);
  }

  boolean neverStarts() {
    return this == DROPPED || this == CANCEL_BEFORE_START;
  }

  /** Throws what this ending is about, when it is one of the two. */
  void throwIn(Ending exception, Ending error) {
    if (this == exception) {
      throw new DeliberateException();
    }
    if (this == error) {
      throw new DeliberateError();
    }
  }

  /** Whether the caller half-closes before whatever ends the call. */
  boolean halfCloses(CallType type) {
    if (!type.streamsRequests()) {
      return true;
    }
    return switch (this) {
      case CANCEL_AFTER_START, DEADLINE, DEADLINE_OF_CONTEXT, CONTEXT_CANCELLED -> false;
      default -> true;
    };
  }

  boolean fits(StubKind stub, CallType type, ExecutorKind executor) {
    if (executor == ExecutorKind.REJECTING && !REJECTABLE.contains(this)) {
      return false;
    }
    boolean owned = stub == StubKind.RAW;
    return switch (this) {
      case CANCEL_BEFORE_START, DROPPED, ON_HEADERS_THROWS, ON_HEADERS_ERROR -> owned;
      // The other stubs have half-closed by the time that the caller could cancel.
      case CANCEL_AFTER_START ->
          owned
              || (type.streamsRequests()
                  && (stub == StubKind.ASYNC || stub == StubKind.BLOCKING_CALL));
      case ON_MESSAGE_THROWS, ON_MESSAGE_ERROR, ON_CLOSE_THROWS, ON_CLOSE_ERROR ->
          owned || stub == StubKind.ASYNC;
      // onReady is not called for a call that sends one message.
      case ON_READY_THROWS, ON_READY_ERROR ->
          type.streamsRequests() && (owned || stub == StubKind.ASYNC);
      default -> true;
    };
  }

  @Override
  public String toString() {
    return label;
  }

  /** An exception that only this suite throws, so that its own threads can keep quiet about it. */
  static final class DeliberateException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    DeliberateException() {
      super("thrown by the listener on purpose");
    }
  }

  /** An Error that only this suite throws, so that its own threads can keep quiet about it. */
  static final class DeliberateError extends Error {
    private static final long serialVersionUID = 1L;

    DeliberateError() {
      super("thrown by the listener on purpose");
    }
  }
}
