package dev.channelkit.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunScriptTest {
  private static final Path SCRIPT = Path.of("run").toAbsolutePath();

  @TempDir Path elsewhere;

  /** What a command printed and how it ended. */
  private record Ended(int exit, String text) {}

  @Test
  void called_bare_it_lists_the_examples() throws Exception {
    Ended ended = run(Map.of());
    assertThat(ended.exit()).isZero();
    assertThat(ended.text()).contains("quickstart", "bench");
  }

  @Test
  void an_unknown_name_ends_with_2_and_the_list() throws Exception {
    for (String name : List.of("nope", "quick", "", "quickstart|examples", ".*")) {
      Ended ended = run(Map.of(), name);
      assertThat(ended.exit()).as(name).isEqualTo(2);
      assertThat(ended.text()).contains("no example is named '" + name + "'", "quickstart");
    }
  }

  @Test
  void a_missing_java_is_named() throws Exception {
    Ended ended = run(Map.of("JAVA_HOME", elsewhere.toString()), "quickstart");
    assertThat(ended.exit()).isEqualTo(1);
    assertThat(ended.text())
        .contains("JAVA_HOME is '" + elsewhere + "', which holds no bin/java", "JDK 17");
  }

  @Test
  void a_java_that_does_not_tell_its_version_is_named_without_noise() throws Exception {
    Path java = elsewhere.resolve("bin").resolve("java");
    Files.createDirectories(java.getParent());
    for (String said : List.of("hello", "    java.specification.version = weird")) {
      Files.writeString(java, "#!/bin/sh\necho '" + said + "' >&2\n");
      assertThat(java.toFile().setExecutable(true)).isTrue();
      Ended ended = run(Map.of("JAVA_HOME", elsewhere.toString()), "quickstart");
      assertThat(ended.exit()).isEqualTo(1);
      assertThat(ended.text())
          .contains(java + " does not tell its version", "JDK 17")
          .doesNotContain("integer");
    }
  }

  @Test
  void an_old_java_is_named_with_its_version() throws Exception {
    Path java = elsewhere.resolve("bin").resolve("java");
    Files.createDirectories(java.getParent());
    Files.writeString(java, "#!/bin/sh\necho '    java.specification.version = 11' >&2\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Ended ended = run(Map.of("JAVA_HOME", elsewhere.toString()), "quickstart");
    assertThat(ended.exit()).isEqualTo(1);
    assertThat(ended.text()).contains("Java 17 or newer is needed", "version 11");
  }

  private Ended run(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
    command.addAll(List.of(arguments));
    File output = Files.createTempFile(elsewhere, "output", ".txt").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(elsewhere.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output);
    builder.environment().putAll(environment);
    int exit = builder.start().waitFor();
    return new Ended(exit, Files.readString(output.toPath(), StandardCharsets.UTF_8));
  }
}
