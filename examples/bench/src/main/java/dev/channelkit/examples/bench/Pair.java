package dev.channelkit.examples.bench;

/**
 * Two measurements made one right after the other.
 *
 * @param baseline without our part
 * @param ours with it
 */
record Pair(double baseline, double ours) {
  double ratio() {
    return ours / baseline;
  }
}
