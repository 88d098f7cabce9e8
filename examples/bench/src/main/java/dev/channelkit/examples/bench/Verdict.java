package dev.channelkit.examples.bench;

/** What became of a bar. */
enum Verdict {
  /** There is no bar. */
  NONE("-"),
  /** Reached, and the pairs agree well enough to say so. */
  MET("met"),
  /** Missed, and the pairs agree well enough to say so. */
  NOT_MET("not met"),
  /** The pairs differ from each other more than their median differs from the bar. */
  NOISY("noisy");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
