package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RacesIT {
  // In jcstress's words; "default" runs longer.
  private static final String MODE = System.getProperty("channelkit.stress.mode", "quick");

  @Test
  @DisplayName("C2 C3 C5 C6 No interleaving of a deferred call breaks order, loses or ends twice")
  void races() throws IOException, InterruptedException {
    Path results = Files.createDirectories(Path.of("target", "jcstress"));
    Path output = results.resolve("output.txt");
    Process jcstress =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-m",
                MODE,
                "-f",
                "1",
                "-iters",
                "2",
                "-time",
                "300",
                "-jvmArgs",
                "-Xmx256m",
                "-sc",
                "false",
                "-v",
                "-r",
                results.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(jcstress.waitFor(12, TimeUnit.MINUTES)).as("jcstress ends").isTrue();
    } finally {
      jcstress.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(output);
    List<String> forbidden = new ArrayList<>();
    long rounds = 0;
    int configurations = 0;
    boolean summary = false;
    // A row of a table of outcomes: result, samples, share, verdict.
    Pattern row = Pattern.compile("\\s*(.+?)\\s+([0-9,]+)\\s+[<0-9.,]+%\\s+(\\S+).*");
    for (String line : lines) {
      // First a table for each configuration, then, from this line on, one for each test.
      summary |= line.startsWith("RUN RESULTS");
      configurations += !summary && line.matches("\\.+ \\[(OK|FAILED)].*") ? 1 : 0;
      Matcher matcher = row.matcher(line);
      if (summary && matcher.matches()) {
        long samples = Long.parseLong(matcher.group(2).replace(",", ""));
        rounds += samples;
        if (!matcher.group(3).equals("Acceptable") && samples > 0) {
          forbidden.add(line.strip());
        }
      }
    }
    System.out.printf(
        "stress: %d configurations, %,d rounds, %d forbidden outcomes%n",
        configurations, rounds, forbidden.size());
    assertThat(forbidden).isEmpty();
    assertThat(jcstress.exitValue()).as("see %s", output).isZero();
    assertThat(rounds).as("rounds that were run, see %s", output).isGreaterThan(100_000);
  }
}
