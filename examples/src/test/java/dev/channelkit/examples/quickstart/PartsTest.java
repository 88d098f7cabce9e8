package dev.channelkit.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class PartsTest {
  @Test
  void without_names_the_default_parts_run() {
    assertThat(Parts.select(List.of())).extracting(Part::byDefault).containsOnly(true);
    assertThat(Parts.select(List.of())).isNotEmpty();
  }

  @Test
  void all_means_each_part() {
    assertThat(Parts.select(List.of("all"))).isEqualTo(Parts.ALL);
  }

  @Test
  void a_named_part_runs_alone_and_once() {
    assertThat(Parts.select(List.of("credentials", "credentials")))
        .extracting(Part::name)
        .containsExactly("credentials");
  }

  @Test
  void an_unknown_part_ends_the_command_with_2_and_the_list_of_parts() {
    StringWriter errors = new StringWriter();
    int exit =
        new CommandLine(new Quickstart())
            .setErr(new PrintWriter(errors))
            .execute("--parts", "credentials,nope");
    assertThat(exit).isEqualTo(2);
    assertThat(errors.toString()).contains("no part is named 'nope'", "credentials", "all");
  }
}
