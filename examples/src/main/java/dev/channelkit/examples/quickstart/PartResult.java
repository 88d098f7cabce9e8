package dev.channelkit.examples.quickstart;

import java.util.List;
import java.util.Map;

/**
 * What a part measured.
 *
 * @param part which part
 * @param figures the part's object in the JSON, in the order in which it is written
 * @param rpcs RPCs by side ("bare", "ours") and method
 * @param table the same for people
 * @param sentences what the figures say, in words
 * @param tiles the few figures to see first
 * @param charts pictures for the page
 */
record PartResult(
    Part part,
    Map<String, Object> figures,
    Map<String, Map<String, Long>> rpcs,
    TextTable table,
    List<String> sentences,
    List<Tile> tiles,
    List<Chart> charts) {

  /**
   * A large figure on the page.
   *
   * @param label what it is
   * @param value the figure
   * @param beside what to compare it with
   */
  record Tile(String label, String value, String beside) {}

  /**
   * A picture for the page.
   *
   * @param title above it
   * @param caption below it, plain text
   * @param svg an inline {@code svg} element
   */
  record Chart(String title, String caption, String svg) {}
}
