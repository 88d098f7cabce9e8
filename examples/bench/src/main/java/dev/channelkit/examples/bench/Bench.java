package dev.channelkit.examples.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code examples/run bench NAME}. */
@Command(
    name = "examples/run bench",
    mixinStandardHelpOptions = true,
    description = "Benchmarks with JMH: time and allocation against a baseline of the same run.",
    synopsisSubcommandLabel = "NAME",
    subcommands = StackSuite.class)
final class Bench implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  public static void main(String[] args) {
    System.exit(new CommandLine(new Bench()).execute(args));
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "name a benchmark");
  }
}
