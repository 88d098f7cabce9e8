package dev.channelkit.testing;

/** The ways in which an application makes a call. */
enum StubKind {
  BLOCKING_UNARY("blocking unary"),
  FUTURE("future"),
  ASYNC("async"),
  ITERATOR("blocking iterator"),
  BLOCKING_CALL("BlockingClientCall"),
  RAW("raw ClientCall");

  private final String label;

  StubKind(String label) {
    this.label = label;
  }

  boolean makes(CallType type) {
    return switch (this) {
      case BLOCKING_UNARY, FUTURE -> type == CallType.UNARY;
      case ITERATOR -> type == CallType.SERVER_STREAMING;
      case BLOCKING_CALL -> type != CallType.UNARY && BlockingCall.isAvailable();
      case ASYNC, RAW -> true;
    };
  }

  /** Whether the caller's thread waits in the stub, so that somebody else must end the call. */
  boolean blocks() {
    return this == BLOCKING_UNARY || this == ITERATOR;
  }

  @Override
  public String toString() {
    return label;
  }
}
