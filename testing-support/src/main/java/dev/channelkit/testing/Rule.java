package dev.channelkit.testing;

/** The rules that the conformance suite can name when a call breaks one. */
enum Rule {
  A1(
      "interceptCall must be thread-safe and must acquire nothing that needs releasing, because the"
          + " call it returns may be dropped, cancelled before start, or fail in start."),
  A2("interceptCall must neither return null nor throw; it must return a call that fails."),
  A3("next.newCall must run under the Context that was current when the caller made the call."),
  A5(
      "start must either throw before the call below was started, or return and close the listener"
          + " once; it must never do both, nor leave a started call behind."),
  A6(
      "once start has returned, request, sendMessage, halfClose and cancel must not throw, also"
          + " after the call was closed."),
  A7("request headers must not be touched or reused once they were passed on to start."),
  A8("every header of the caller must reach the server as it was, with the values it had."),
  B1(
      "callbacks must be serial and ordered: onHeaders at most once, then onMessage, then onClose"
          + " exactly once and last."),
  B2(
      "callbacks must run on the executor of the call options when there is one; elsewhere a"
          + " blocking stub would wait for ever."),
  B3(
      "an executor that rejects must be treated like a cancellation: nothing of it is thrown at the"
          + " caller, and no operation waits for it."),
  B4(
      "what the interceptor holds for a call must be released whenever the call ends, and the"
          + " application may start its next call from inside onClose."),
  B5(
      "the status and the trailers given to onClose must not be null, also when no header was"
          + " seen."),
  B7(
      "status, trailers and messages must be the ones of the call below, unless the interceptor"
          + " says that it changes them."),
  B8(
      "a listener that throws must end in a cancelled call with exactly one onClose, not in a hang"
          + " or an open call."),
  C1("no lock may be held while the call below or the listener is called."),
  C4("cancel after start must always lead to exactly one onClose and end the call below."),
  C5("a call must end when its deadline or the deadline of its Context passes."),
  C6("a call must end when the Context it was made under is cancelled."),
  C7("callbacks must run in the Context under which the call was made."),
  C8("a call that is answered locally must not start a call below."),
  C10("no more messages may be delivered than were requested."),
  C12("isReady must be false while there is no call below that could take a message."),
  C14("every operation on the call must reach the call below, once and in order."),
  D3("call options must be passed on with what was added, not dropped or replaced."),
  H("every call must end, and afterwards no server call, thread, or channel may stay open.");

  private final String sentence;

  Rule(String sentence) {
    this.sentence = sentence;
  }

  /** Says which rule was broken and what was seen. */
  String brokenBy(String seen) {
    return name() + ": " + sentence + " Seen: " + seen;
  }
}
