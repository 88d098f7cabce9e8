package dev.channelkit.testing;

/** The executor in the call options. */
enum ExecutorKind {
  DEFAULT("default executor"),
  DIRECT("direct executor"),
  SINGLE_THREAD("single thread"),
  REJECTING("rejecting executor");

  private final String label;

  ExecutorKind(String label) {
    this.label = label;
  }

  /**
   * The blocking unary stub and BlockingClientCall replace the executor by their own. A blocking
   * iterator on a rejecting executor waits for ever on a bare channel too.
   */
  boolean fits(StubKind stub) {
    return switch (stub) {
      case BLOCKING_UNARY, BLOCKING_CALL -> this == DEFAULT;
      case ITERATOR -> this != REJECTING;
      case FUTURE, ASYNC, RAW -> true;
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
