package dev.channelkit.examples.quickstart;

import dev.channelkit.testing.RealSparkConnect;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code examples/run quickstart}. */
@Command(
    name = "examples/run quickstart",
    mixinStandardHelpOptions = true,
    description =
        "Starts Apache Spark's own Connect server, demanding a token, and uses it through the"
            + " official JVM client: bare, then with the stack.")
final class Quickstart implements Callable<Integer> {
  static final String SPARK_VERSION = "4.2.0";

  @Option(
      names = "--parts",
      split = ",",
      paramLabel = "NAME",
      description = "Which parts to run, or all; without it the default ones.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Where quickstart.json and quickstart.html go; default: ${DEFAULT-VALUE}",
      defaultValue = "${sys:channelkit.examples.target:-examples/target}")
  private Path output = Path.of("examples", "target");

  @Spec private CommandSpec spec = CommandSpec.create();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Quickstart()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    List<Part> parts;
    try {
      parts = Parts.select(names);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    Progress progress =
        new Progress(System.err, Boolean.getBoolean("channelkit.examples.terminal"));
    String token = newToken();
    List<PartResult> results = new ArrayList<>();
    try (RealSparkConnect server =
        progress.during(
            "Starting Spark Connect " + SPARK_VERSION + " in a JVM of its own",
            () -> RealSparkConnect.builder(SPARK_VERSION).authToken(token).start())) {
      Stage stage = new Stage(server.port(), token, InstantSource.system(), progress);
      for (Part part : parts) {
        results.add(part.run(stage));
      }
    }
    Report report = new Report(SPARK_VERSION, results);
    report.write(output);
    for (PartResult result : results) {
      System.out.println();
      System.out.println(result.table());
      result.sentences().forEach(System.out::println);
    }
    System.out.println();
    System.out.println("figures: " + output.resolve("quickstart.json"));
    System.out.println("page:    " + output.resolve("quickstart.html"));
    return 0;
  }

  private static String newToken() {
    byte[] bytes = new byte[24];
    ThreadLocalRandom.current().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
