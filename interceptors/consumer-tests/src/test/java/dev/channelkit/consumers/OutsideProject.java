package dev.channelkit.consumers;

import dev.channelkit.testing.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A project of somebody else, built by a Maven of its own from the folder repository and a local
 * repository that holds everything but our artifacts.
 */
final class OutsideProject {
  private static final Path BASE = Path.of(System.getProperty("channelkit.basedir"));
  private static final Path OUTSIDE = BASE.resolve("target/outside");

  private static final Map<String, OutsideProject> BUILT = new HashMap<>();

  private final Path folder;

  private OutsideProject(Path folder) {
    this.folder = folder;
  }

  /** Copies and builds the project below src/it, once for all tests. */
  static synchronized OutsideProject built(String name) throws IOException, InterruptedException {
    OutsideProject known = BUILT.get(name);
    if (known != null) {
      return known;
    }
    Path folder = OUTSIDE.resolve(name);
    delete(folder);
    copy(BASE.resolve("src/it").resolve(name), folder);
    // Ends Maven's search for a project root, which would find ours and its JVM settings.
    Files.createDirectories(folder.resolve(".mvn"));
    OutsideProject project = new OutsideProject(folder);
    project.maven("compile");
    BUILT.put(name, project);
    return project;
  }

  /** What the project's dependencies resolved to. */
  List<String> dependencies() throws IOException {
    String line = Files.readString(folder.resolve("target/classpath.txt"));
    return List.of(line.strip().split(File.pathSeparator));
  }

  /** The dependencies behind the project's own classes. */
  List<String> classPath() throws IOException {
    List<String> all = new ArrayList<>();
    all.add(folder.resolve("target/classes").toString());
    all.addAll(dependencies());
    return all;
  }

  /** A main class on the project's class path, in a JVM of its own. */
  ChildJvm running(String mainClass) throws IOException {
    return ChildJvm.running(mainClass).classPath(classPath());
  }

  private void maven(String goal) throws IOException, InterruptedException {
    boolean windows = System.getProperty("os.name").startsWith("Windows");
    List<String> command = new ArrayList<>();
    command.add(
        Path.of(System.getProperty("channelkit.maven.home"), "bin", windows ? "mvn.cmd" : "mvn")
            .toString());
    command.addAll(List.of("-B", "-ntp", "-q"));
    command.add("-Dmaven.repo.local=" + localRepository());
    command.add(
        "-Dchannelkit.repository=" + Path.of(System.getProperty("channelkit.repository")).toUri());
    command.add("-Dchannelkit.version=" + System.getProperty("channelkit.version"));
    Path settings = Path.of(System.getProperty("channelkit.maven.settings").substring(5));
    if (Files.isRegularFile(settings)) {
      command.addAll(List.of("-s", settings.toString()));
    }
    if (System.getProperty("channelkit.maven.offline").equals("is:true")) {
      // The folder repository is not the network.
      command.addAll(List.of("-o", "-Daether.offline.protocols=file"));
    }
    command.add(goal);
    Path log = folder.resolve("maven.log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("MAVEN_PROJECTBASEDIR");
    Process process = builder.start();
    process.getOutputStream().close();
    boolean ended = process.waitFor(4, TimeUnit.MINUTES);
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    if (!ended || process.exitValue() != 0) {
      throw new AssertionError(
          "Maven failed on the outside project in " + folder + ":\n" + Files.readString(log));
    }
  }

  /**
   * The user's local repository without {@code dev/channelkit}, at the price of some links: each
   * project gets a fresh one, so that what another one fetched is not found either.
   */
  private Path localRepository() throws IOException {
    Path real = Path.of(System.getProperty("channelkit.maven.local"));
    Path fresh = folder.resolve("local-repository");
    link(real, fresh, "dev");
    if (Files.isDirectory(real.resolve("dev"))) {
      link(real.resolve("dev"), fresh.resolve("dev"), "channelkit");
    }
    return fresh;
  }

  private static void link(Path from, Path to, String butNot) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        String name = entry.getFileName().toString();
        if (!name.equals(butNot)) {
          Files.createSymbolicLink(to.resolve(name), entry);
        }
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(from.relativize(file));
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }

  /** Removes links, never what they lead to. */
  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> deepestLast;
    try (Stream<Path> files = Files.walk(folder)) {
      deepestLast = files.toList();
    }
    for (int i = deepestLast.size() - 1; i >= 0; i--) {
      Files.delete(deepestLast.get(i));
    }
  }
}
