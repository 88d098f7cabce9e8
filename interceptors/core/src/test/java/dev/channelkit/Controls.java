package dev.channelkit;

import org.junit.jupiter.api.function.Executable;

/**
 * Controls of tests: a scenario that passes on the real thing must fail on a variant that is broken
 * in just the way the scenario is about. Tests that use this carry the tag {@code control}; the
 * Maven profile {@code controls} runs them, and only them.
 */
public final class Controls {
  private Controls() {}

  /**
   * Runs a scenario on a broken variant and demands that an assertion of the scenario fails.
   *
   * @param row what the scenario guards
   * @param variant the name of the broken variant or of the switch that breaks it
   * @param scenario the same code that passes on the real thing
   */
  public static void assertFails(String row, String variant, Executable scenario) {
    Throwable thrown = null;
    try {
      scenario.execute();
    } catch (Throwable t) {
      thrown = t;
    }
    if (thrown == null) {
      throw new AssertionError(row + ": the scenario passes on the broken variant " + variant);
    }
    if (!(thrown instanceof AssertionError)) {
      throw new AssertionError(
          row + ": on " + variant + " the scenario ended by itself, not by an assertion", thrown);
    }
    String text = String.valueOf(thrown.getMessage()).strip().replaceAll("\\s+", " ");
    System.out.println(
        "control "
            + row
            + " "
            + variant
            + ": fails, as it must: "
            + text.substring(0, Math.min(text.length(), 140)));
  }
}
