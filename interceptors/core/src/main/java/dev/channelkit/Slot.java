package dev.channelkit;

/**
 * The places of a stack, outermost first: this order is the order of the chain.
 *
 * <p>A part that comes later takes the place that waits for it here, with one method on the builder
 * and one {@link StackPart}; nothing else changes.
 */
enum Slot {
  /** The application's own, around everything. */
  OUTERMOST(false),
  /** Fails calls of dead sessions before any other part spends work on them. */
  LIVENESS(true),
  /** Answers from memory; inside liveness, so that a dead session gets no remembered answer. */
  MEMO(true),
  /** Holds release calls back; inside the memo, which never answers one. */
  COALESCER(true),
  /** Buffers answers from the wire; inside the memo, which must see what was really delivered. */
  PREFETCH(true),
  /** Next to the wire, so that a call answered locally never waits for a token. */
  CREDENTIALS(false),
  /** The application's own, nearest to the channel. */
  INNERMOST(false);

  private final boolean switchable;

  Slot(boolean switchable) {
    this.switchable = switchable;
  }

  /** What kill switches, conflicts and {@code toString} call the place. */
  String partName() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** Whether operators can switch the part off from outside the program. */
  boolean isSwitchable() {
    return switchable;
  }
}
