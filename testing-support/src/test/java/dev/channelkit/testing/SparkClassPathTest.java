package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every way to the jars, with a version nobody has and a Maven that is a script of three lines. */
class SparkClassPathTest {
  private static final String VERSION = "99.0.0";
  private static final String PROPERTY = SparkClassPath.PROPERTY + VERSION;

  @TempDir Path directory;
  private final List<String> progress = new ArrayList<>();
  private String repositoryBefore;
  private Path one;
  private Path two;

  @BeforeEach
  void prepare() throws IOException {
    System.setProperty(SparkClassPath.CACHE_PROPERTY, directory.resolve("cache").toString());
    repositoryBefore = System.getProperty("maven.repo.local");
    one = Files.createFile(directory.resolve("one.jar"));
    two = Files.createFile(directory.resolve("two.jar"));
  }

  @AfterEach
  void restore() {
    System.clearProperty(SparkClassPath.CACHE_PROPERTY);
    System.clearProperty(PROPERTY);
    if (repositoryBefore == null) {
      System.clearProperty("maven.repo.local");
    } else {
      System.setProperty("maven.repo.local", repositoryBefore);
    }
  }

  private List<Path> resolve(Path... path) {
    String joined =
        String.join(File.pathSeparator, List.of(path).stream().map(Path::toString).toList());
    return new SparkClassPath(VERSION, Map.of("PATH", joined), progress::add).resolve();
  }

  private String both() {
    return one + File.pathSeparator + two;
  }

  /** A Maven that notes its arguments and answers with both jars. */
  private Path maven(int exit) throws IOException {
    Path bin = Files.createDirectories(directory.resolve("bin"));
    Path script = bin.resolve("mvn");
    Files.writeString(
        script,
        "#!/bin/sh\n"
            + ("echo \"$@\" >> '" + directory + "/calls'\n")
            + "echo what Maven says\n"
            + "for a in \"$@\"; do case \"$a\" in\n"
            + ("-Dmdep.outputFile=*) printf %s '" + both() + "' > \"${a#*=}\";;\n")
            + "esac; done\n"
            + ("exit " + exit + "\n"));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    return bin;
  }

  @Test
  @DisplayName("the property may hold the class path itself or name a file that holds it")
  void property() throws IOException {
    System.setProperty(PROPERTY, both());
    assertThat(resolve()).containsExactly(one, two);
    System.setProperty(PROPERTY, one.toString());
    assertThat(resolve()).containsExactly(one);
    Path file = directory.resolve("classpath.txt");
    Files.writeString(file, both() + "\n");
    System.setProperty(PROPERTY, file.toString());
    assertThat(resolve()).containsExactly(one, two);
  }

  @Test
  @DisplayName("a jar that is not there any more is named")
  void missingJar() throws IOException {
    System.setProperty(PROPERTY, both());
    Files.delete(two);
    assertThatThrownBy(this::resolve)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(two.toString())
        .hasMessageContaining(PROPERTY);
  }

  @Test
  @DisplayName("Maven is asked once, with the local repository of this build, then the cache")
  void mavenThenCache() throws IOException {
    Path bin = maven(0);
    System.setProperty("maven.repo.local", directory.resolve("repo").toString());
    assertThat(resolve(bin)).containsExactly(one, two);
    assertThat(resolve(bin)).containsExactly(one, two);
    assertThat(Files.readAllLines(directory.resolve("calls")))
        .singleElement()
        .asString()
        .contains("-B -q", ":build-classpath", "-Dmaven.repo.local=" + directory.resolve("repo"));
    assertThat(progress).anyMatch(line -> line.contains("Maven collects the jars"));
  }

  @Test
  @DisplayName("a cached class path with a jar that is gone is asked for again")
  void staleCache() throws IOException {
    Path bin = maven(0);
    resolve(bin);
    Files.delete(two);
    assertThatThrownBy(() -> resolve(bin)).hasMessageContaining(two.toString());
    Files.createFile(two);
    Files.writeString(
        directory.resolve("cache").resolve("spark-server-" + VERSION + ".classpath"),
        directory.resolve("gone.jar").toString());
    assertThat(resolve(bin)).containsExactly(one, two);
    assertThat(Files.readAllLines(directory.resolve("calls"))).hasSize(3);
  }

  @Test
  @DisplayName("a property that names no file says so and goes on to Maven")
  void propertyOfAModuleThatDidNotRun() throws IOException {
    System.setProperty(PROPERTY, directory.resolve("target/classpath.txt").toString());
    assertThat(resolve(maven(0))).containsExactly(one, two);
    assertThat(progress).anyMatch(line -> line.contains("does not exist"));
  }

  @Test
  @DisplayName("no Maven: the error names all three ways")
  void noMaven() {
    assertThatThrownBy(() -> resolve(directory))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no Maven found")
        .hasMessageContaining("classPath(paths)")
        .hasMessageContaining(PROPERTY)
        .hasMessageContaining("MAVEN_HOME");
  }

  @Test
  @DisplayName("a Maven that fails: its words and all three ways")
  void mavenFails() throws IOException {
    Path bin = maven(1);
    assertThatThrownBy(() -> resolve(bin))
        .hasMessageContaining("ended with 1")
        .hasMessageContaining("what Maven says")
        .hasMessageContaining("classPath(paths)");
  }
}
