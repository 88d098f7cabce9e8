package dev.channelkit.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One rule, tried in a way that no cell of the matrix shows. */
record RuleCheck(Rule rule, String title, Cell surroundings, Body body) {
  static final String DONE = "done";

  /** Makes calls and notes what was broken. */
  interface Body {
    void check(CellRun run, Set<InterceptorTrait> traits) throws Exception;
  }

  String name() {
    return rule + ": " + title;
  }

  Driver driver(Set<InterceptorTrait> traits) {
    return run -> {
      body.check(run, traits);
      return DONE;
    };
  }

  static List<RuleCheck> all() {
    List<RuleCheck> checks = new ArrayList<>();
    checks.add(
        raw(
            Rule.A1,
            "calls that are dropped or cancelled before start leave nothing behind",
            CallType.UNARY,
            ExecutorKind.DEFAULT,
            Ending.DROPPED,
            CallChecks::dropMany));
    checks.add(
        raw(
            Rule.A1,
            "many threads may make calls at once",
            CallType.UNARY,
            ExecutorKind.DEFAULT,
            Ending.OK,
            CallChecks::manyThreads));
    checks.add(
        raw(
            Rule.D3,
            "deadline, executor, wait-for-ready and custom options reach the call below",
            CallType.UNARY,
            ExecutorKind.SINGLE_THREAD,
            Ending.OK,
            CallChecks::options));
    for (ExecutorKind executor :
        List.of(ExecutorKind.DEFAULT, ExecutorKind.DIRECT, ExecutorKind.SINGLE_THREAD)) {
      checks.add(
          raw(
              Rule.B4,
              "the next call may be made from inside onClose, " + executor,
              CallType.UNARY,
              executor,
              Ending.OK,
              CallChecks::nextCallFromOnClose));
    }
    for (CallType type : CallType.values()) {
      checks.add(
          raw(
              Rule.C1,
              "cancel from inside onHeaders, " + type,
              type,
              ExecutorKind.DIRECT,
              Ending.ON_HEADERS_THROWS,
              CallChecks::cancelFromOnHeaders));
      checks.add(
          raw(
              Rule.C1,
              "cancel from inside onMessage, " + type,
              type,
              ExecutorKind.DIRECT,
              Ending.ON_MESSAGE_THROWS,
              CallChecks::cancelFromOnMessage));
      checks.add(
          raw(
              Rule.C4,
              "cancel races close, again and again, " + type,
              type,
              ExecutorKind.SINGLE_THREAD,
              Ending.CANCEL_RACING_CLOSE,
              CallChecks::raceManyTimes));
    }
    for (ExecutorKind executor : List.of(ExecutorKind.DIRECT, ExecutorKind.SINGLE_THREAD)) {
      checks.add(
          raw(
              Rule.C10,
              "one message requested is one delivered, " + executor,
              CallType.SERVER_STREAMING,
              executor,
              Ending.OK,
              CallChecks::oneAtATime));
    }
    checks.add(
        raw(
            Rule.C10,
            "request(0) is legal and request(-1) is refused",
            CallType.SERVER_STREAMING,
            ExecutorKind.DIRECT,
            Ending.OK,
            CallChecks::oddRequests));
    checks.add(
        raw(
            Rule.C12,
            "isReady is false for a call that failed before it reached the server",
            CallType.BIDI_STREAMING,
            ExecutorKind.DIRECT,
            Ending.DEADLINE_BEFORE_START,
            CallChecks::neverReady));
    checks.add(
        raw(
            Rule.C14,
            "messages, compression and half-close reach the call below in order",
            CallType.BIDI_STREAMING,
            ExecutorKind.DIRECT,
            Ending.OK,
            CallChecks::operations));
    checks.add(
        raw(
            Rule.C14,
            "the text of a cancellation reaches the call below",
            CallType.UNARY,
            ExecutorKind.DIRECT,
            Ending.CANCEL_AFTER_HALF_CLOSE,
            CallChecks::cancelText));
    return List.copyOf(checks);
  }

  private static RuleCheck raw(
      Rule rule, String title, CallType type, ExecutorKind executor, Ending ending, Body body) {
    return new RuleCheck(rule, title, new Cell(StubKind.RAW, type, executor, ending), body);
  }
}
