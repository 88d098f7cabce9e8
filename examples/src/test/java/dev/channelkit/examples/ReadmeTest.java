package dev.channelkit.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README shows code that the build has compiled, and the commands that exist. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern SNIPPET =
      Pattern.compile("<!-- snippet: (\\S+) -->\\R+```java\\R(.*?)```", Pattern.DOTALL);
  private static final Pattern SOURCE =
      Pattern.compile("// snippet\\R(.*?)\\R *// end of snippet", Pattern.DOTALL);

  @Test
  void each_java_block_is_a_compiled_source() throws IOException {
    String readme = readme();
    Map<String, String> shown = new LinkedHashMap<>();
    Matcher blocks = SNIPPET.matcher(readme);
    while (blocks.find()) {
      shown.put(blocks.group(1), blocks.group(2));
    }
    assertThat(shown).hasSizeGreaterThanOrEqualTo(3);
    assertThat(readme.split("```java", -1).length - 1).isEqualTo(shown.size());
    for (Map.Entry<String, String> block : shown.entrySet()) {
      Matcher source = SOURCE.matcher(Files.readString(ROOT.resolve(block.getKey())));
      assertThat(source.find()).as(block.getKey()).isTrue();
      assertThat(block.getValue())
          .as(block.getKey())
          .isEqualTo(source.group(1).stripIndent() + "\n");
      assertThat(block.getValue().lines().count()).as(block.getKey()).isLessThanOrEqualTo(14);
    }
  }

  @Test
  void the_two_commands_stand_within_one_screen() throws IOException {
    List<String> lines = readme().lines().toList();
    int quickstart = lines.indexOf("examples/run quickstart");
    int verify = lines.indexOf("mvn -B verify");
    assertThat(quickstart).isPositive();
    assertThat(verify).isPositive();
    assertThat(Math.abs(verify - quickstart)).isLessThan(40);
  }

  @Test
  void each_link_to_a_file_leads_to_one() throws IOException {
    List<String> dead = new ArrayList<>();
    for (String file : List.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")) {
      Matcher links = Pattern.compile("\\]\\(([^)#:]+)\\)").matcher(read(file));
      while (links.find()) {
        if (!Files.exists(ROOT.resolve(links.group(1)))) {
          dead.add(file + " -> " + links.group(1));
        }
      }
    }
    assertThat(dead).isEmpty();
  }

  private static String readme() throws IOException {
    return read("README.md");
  }

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }
}
