package dev.channelkit.testing;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Finds the jars of a Spark Connect server: a system property, then the per-user cache, then one
 * run of Maven.
 */
final class SparkClassPath {
  static final String PROPERTY = "channelkit.spark.classpath.";
  static final String CACHE_PROPERTY = "channelkit.cache";

  private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));
  private static final Duration MAVEN_TIMEOUT = Duration.ofMinutes(20);
  private static final String DEPENDENCY_PLUGIN_VERSION = "3.10.0";

  private final String version;
  private final Map<String, String> environment;
  private final Consumer<String> progress;

  SparkClassPath(String version, Map<String, String> environment, Consumer<String> progress) {
    this.version = version;
    this.environment = environment;
    this.progress = progress;
  }

  List<Path> resolve() {
    String property = System.getProperty(PROPERTY + version, "").trim();
    if (!property.isEmpty()) {
      Path file = Path.of(property.contains(File.pathSeparator) ? "" : property);
      if (Files.isRegularFile(file) && !isJar(file)) {
        return checked(parse(read(file)), "the file " + file + " (" + PROPERTY + version + ")");
      }
      if (property.contains(File.pathSeparator) || Files.exists(file)) {
        return checked(parse(property), "the system property " + PROPERTY + version);
      }
      // A build that did not run the module that writes the file names one that is not there.
      progress.accept(PROPERTY + version + " names " + property + ", which does not exist");
    }
    Path cache = cacheFile();
    if (Files.isRegularFile(cache)) {
      List<Path> cached = parse(read(cache));
      if (missing(cached).isEmpty()) {
        return cached;
      }
    }
    List<Path> fresh = checked(askMaven(), "Maven's class path of Spark " + version);
    store(cache, fresh);
    return fresh;
  }

  /** The entries, each of which exists. */
  static List<Path> checked(List<Path> entries, String where) {
    if (entries.isEmpty()) {
      throw new IllegalStateException(where + " is an empty class path");
    }
    Optional<Path> missing = missing(entries);
    if (missing.isPresent()) {
      throw new IllegalStateException(
          where + " names " + missing.get() + ", which does not exist: build it again");
    }
    return entries;
  }

  private static Optional<Path> missing(List<Path> entries) {
    return entries.stream().filter(entry -> !Files.exists(entry)).findFirst();
  }

  private static boolean isJar(Path file) {
    return file.toString().toLowerCase(Locale.ROOT).endsWith(".jar");
  }

  private static List<Path> parse(String classPath) {
    return SEPARATOR
        .splitAsStream(classPath)
        .map(String::trim)
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the class path in " + file, e);
    }
  }

  private Path cacheFile() {
    return cacheDirectory().resolve("spark-server-" + version + ".classpath");
  }

  private Path cacheDirectory() {
    String own = System.getProperty(CACHE_PROPERTY, "");
    if (!own.isEmpty()) {
      return Path.of(own);
    }
    String base = environment.getOrDefault("XDG_CACHE_HOME", "");
    if (base.isEmpty()) {
      base = environment.getOrDefault("LOCALAPPDATA", "");
    }
    Path parent =
        base.isEmpty() ? Path.of(System.getProperty("user.home", "."), ".cache") : Path.of(base);
    return parent.resolve("channelkit");
  }

  private void store(Path file, List<Path> entries) {
    String text = String.join(File.pathSeparator, entries.stream().map(Path::toString).toList());
    try {
      Path directory = file.toAbsolutePath().getParent();
      Files.createDirectories(directory);
      Path temporary = Files.createTempFile(directory, "classpath", ".tmp");
      try {
        Files.writeString(temporary, text);
        // Two builds at once write the same text; a reader must never see half of it.
        try {
          Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
          Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
        }
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      progress.accept("the class path is not cached for the next time: " + e);
    }
  }

  private List<Path> askMaven() {
    Path maven = findMaven().orElseThrow(() -> new IllegalStateException(noWay("no Maven found")));
    Path directory = null;
    try {
      directory = Files.createTempDirectory("channelkit-maven");
      Files.writeString(directory.resolve("pom.xml"), pom());
      Path classPath = directory.resolve("classpath.txt");
      Path output = directory.resolve("output.txt");
      ProcessBuilder builder =
          new ProcessBuilder(command(maven, classPath))
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.PIPE)
              .redirectOutput(output.toFile());
      // A Maven that runs us leaves its own project folder here.
      builder.environment().remove("MAVEN_BASEDIR");
      builder.environment().remove("MAVEN_PROJECTBASEDIR");
      builder.environment().putIfAbsent("JAVA_HOME", System.getProperty("java.home", ""));
      int exit = await(builder.start());
      if (exit != 0 || !Files.isRegularFile(classPath)) {
        throw new IllegalStateException(
            noWay(maven + " ended with " + exit + " and said:\n" + end(output)));
      }
      return parse(Files.readString(classPath));
    } catch (IOException e) {
      throw new IllegalStateException(noWay(maven + " cannot be run: " + e), e);
    } finally {
      if (directory != null) {
        Directories.delete(directory);
      }
    }
  }

  private static List<String> command(Path maven, Path classPath) {
    List<String> command =
        new ArrayList<>(
            List.of(
                maven.toString(),
                "-B",
                "-q",
                "org.apache.maven.plugins:maven-dependency-plugin:"
                    + DEPENDENCY_PLUGIN_VERSION
                    + ":build-classpath",
                "-Dmdep.outputFile=" + classPath));
    // A nested Maven does not inherit this one from the build that runs the test.
    String repository = System.getProperty("maven.repo.local", "");
    if (!repository.isEmpty()) {
      command.add("-Dmaven.repo.local=" + repository);
    }
    return command;
  }

  private int await(Process process) {
    long start = System.nanoTime();
    try {
      process.getOutputStream().close();
      for (int seconds = 0; ; seconds += 5) {
        progress.accept(
            "Maven collects the jars of Spark " + version + " (once), " + seconds + " s");
        if (process.waitFor(5, TimeUnit.SECONDS)) {
          return process.exitValue();
        }
        if (System.nanoTime() - start > MAVEN_TIMEOUT.toNanos()) {
          throw new IllegalStateException(noWay("Maven did not end within " + MAVEN_TIMEOUT));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Maven collected Spark's jars", e);
    } catch (IOException e) {
      throw new IllegalStateException(noWay("Maven cannot be run: " + e), e);
    } finally {
      // mvn is a script that starts a JVM.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static String end(Path output) throws IOException {
    List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
  }

  private Optional<Path> findMaven() {
    boolean windows = System.getProperty("os.name", "").startsWith("Windows");
    String name = windows ? "mvn.cmd" : "mvn";
    List<Path> candidates = new ArrayList<>();
    for (String home : List.of("MAVEN_HOME", "M2_HOME")) {
      String value = environment.getOrDefault(home, "");
      if (!value.isEmpty()) {
        candidates.add(Path.of(value, "bin", name));
      }
    }
    for (Path entry : parse(environment.getOrDefault("PATH", ""))) {
      candidates.add(entry.resolve(name));
    }
    return candidates.stream().filter(Files::isExecutable).findFirst();
  }

  private String noWay(String why) {
    return "the class path of Spark Connect server "
        + version
        + " is not known ("
        + why
        + "). Three ways to give it: (1) RealSparkConnect.builder(...).classPath(paths); (2) the"
        + " system property "
        + PROPERTY
        + version
        + ": a class path, or a file that holds one; (3) Maven on the PATH, or MAVEN_HOME, which"
        + " then collects the jars once";
  }

  private String pom() {
    StringBuilder dependencies = new StringBuilder();
    // Without mllib the server answers ReleaseSession with UNKNOWN.
    for (String artifact : List.of("spark-connect_2.13", "spark-sql_2.13", "spark-mllib_2.13")) {
      dependencies
          .append("<dependency><groupId>org.apache.spark</groupId><artifactId>")
          .append(artifact)
          .append("</artifactId><version>")
          .append(version)
          .append("</version></dependency>\n");
    }
    return "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n"
        + "<modelVersion>4.0.0</modelVersion>\n"
        + "<groupId>dev.channelkit.generated</groupId>\n"
        + "<artifactId>spark-server-class-path</artifactId>\n"
        + "<version>1</version>\n<packaging>pom</packaging>\n"
        + "<dependencies>\n"
        + dependencies
        + "</dependencies>\n</project>\n";
  }
}
