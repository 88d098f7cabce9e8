package dev.channelkit.examples.quickstart;

/** One chapter of the quickstart; each is a class of its own, listed in {@link Parts}. */
interface Part {
  /** What {@code --parts} calls it, and the key of its figures in the JSON. */
  String name();

  /** One line for the list of parts. */
  String what();

  /** Whether it runs when {@code --parts} is not given. */
  boolean byDefault();

  /**
   * Runs the part.
   *
   * @param stage the running server and where to show progress
   * @return what was measured
   */
  PartResult run(Stage stage) throws Exception;
}
