package dev.channelkit.testing;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A {@code main} method in a JVM of its own, for what cannot be shown inside the test's JVM: a
 * class path that lacks something, which classes are loaded, whether the process ends by itself.
 *
 * <pre>{@code
 * ChildJvm.Result result =
 *     ChildJvm.running("com.example.Main")
 *         .classPath(ChildJvm.ownClassPath())
 *         .withoutClassPathEntries(entry -> entry.contains("grpc-"))
 *         .run();
 * assertThat(result.exitCode()).isZero();
 * }</pre>
 *
 * <p>The child runs on the same JDK as the caller and starts in the caller's working folder. When
 * its time is over it is killed with all its descendants; nothing outlives {@link #run()}.
 *
 * <p>Builders are not thread-safe; results are immutable.
 *
 * @since 0.1
 */
public final class ChildJvm {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  private final String mainClass;
  private final List<String> classPath = new ArrayList<>();
  private final List<String> jvmFlags = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private Duration timeout = DEFAULT_TIMEOUT;
  private boolean logLoadedClasses;

  private ChildJvm(String mainClass) {
    this.mainClass = mainClass;
  }

  /**
   * Prepares a child, by default with an empty class path and 60 seconds to live.
   *
   * @param mainClass binary name of the class with the {@code main} method; not null
   * @return the child, not started yet; never null
   */
  public static ChildJvm running(String mainClass) {
    return new ChildJvm(Objects.requireNonNull(mainClass, "mainClass"));
  }

  /**
   * The class path of the calling test, also under Surefire, which starts its JVM with a manifest
   * instead of a list.
   *
   * @return jars and folders in order; never null
   */
  public static List<String> ownClassPath() {
    String real = System.getProperty("surefire.test.class.path");
    String path = real != null ? real : System.getProperty("java.class.path", "");
    return List.of(path.split(File.pathSeparator));
  }

  /**
   * Appends to the class path.
   *
   * @param entries jars and folders; not null
   * @return this
   */
  public ChildJvm classPath(List<String> entries) {
    classPath.addAll(List.copyOf(entries));
    return this;
  }

  /**
   * Takes entries off the class path that was given so far.
   *
   * @param unwanted tells by jar or folder; not null
   * @return this
   */
  public ChildJvm withoutClassPathEntries(Predicate<String> unwanted) {
    classPath.removeIf(unwanted);
    return this;
  }

  /**
   * Appends flags of the JVM, such as {@code -Xmx256m} or {@code -Dkey=value}.
   *
   * @param flags not null
   * @return this
   */
  public ChildJvm jvmFlags(String... flags) {
    jvmFlags.addAll(List.of(flags));
    return this;
  }

  /**
   * Appends arguments of the {@code main} method.
   *
   * @param more not null
   * @return this
   */
  public ChildJvm arguments(String... more) {
    arguments.addAll(List.of(more));
    return this;
  }

  /**
   * Sets a variable in the child's environment, which is otherwise the caller's.
   *
   * @param name not null
   * @param value not null
   * @return this
   */
  public ChildJvm environment(String name, String value) {
    environment.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return this;
  }

  /**
   * Has the child report each class that it loads.
   *
   * @return this
   * @see Result#loadedClasses()
   */
  public ChildJvm logLoadedClasses() {
    logLoadedClasses = true;
    return this;
  }

  /**
   * Bounds the life of the child; 60 seconds unless set.
   *
   * @param bound more than zero
   * @return this
   * @throws IllegalArgumentException if the bound is zero or negative
   */
  public ChildJvm timeout(Duration bound) {
    if (bound.isZero() || bound.isNegative()) {
      throw new IllegalArgumentException("timeout must be more than zero, was " + bound);
    }
    timeout = bound;
    return this;
  }

  /**
   * Starts the child and waits for its end, at most as long as the timeout.
   *
   * @return what happened; never null
   * @throws UncheckedIOException if the child cannot be started or its output not be read
   * @throws InterruptedException if the waiting thread is interrupted; the child is killed
   */
  public Result run() throws InterruptedException {
    try {
      return runChecked();
    } catch (IOException e) {
      throw new UncheckedIOException("No child JVM for " + mainClass + ": " + e.getMessage(), e);
    }
  }

  private Result runChecked() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("child-jvm");
    Path argumentFile = folder.resolve("arguments");
    Path output = folder.resolve("output");
    Path classes = folder.resolve("classes");
    try {
      Files.write(argumentFile, commandLine(classes).stream().map(ChildJvm::quoted).toList());
      ProcessBuilder builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "@" + argumentFile)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(emptyFile(folder)));
      // An inherited agent or flag would load classes and change what is measured.
      builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
      builder.environment().putAll(environment);

      long start = System.nanoTime();
      Process process = builder.start();
      boolean ended;
      try {
        ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      int exitCode = process.waitFor();
      return new Result(
          exitCode, !ended, took, text(output), logLoadedClasses ? loaded(classes) : Set.of());
    } finally {
      delete(folder);
    }
  }

  private List<String> commandLine(Path classes) {
    List<String> line = new ArrayList<>(jvmFlags);
    if (logLoadedClasses) {
      line.add("-Xlog:class+load=info:file=" + classes + ":none:filecount=0");
    }
    line.add("-cp");
    line.add(String.join(File.pathSeparator, classPath));
    line.add(mainClass);
    line.addAll(arguments);
    return line;
  }

  // A class path can be longer than a command line may be, so everything travels in a file.
  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static File emptyFile(Path folder) throws IOException {
    return Files.createFile(folder.resolve("input")).toFile();
  }

  private static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Set<String> loaded(Path file) throws IOException {
    // "java.lang.Object source: jrt:/java.base"
    return text(file)
        .lines()
        .filter(line -> line.contains(" source:"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }

  /**
   * What became of a child.
   *
   * @param exitCode of the process; of no meaning when it was killed
   * @param timedOut whether it was killed because its time was over
   * @param took from its start to its end, the start of the JVM included
   * @param output what it wrote to both streams, in order; never null
   * @param loadedClasses binary names of the classes it loaded, those of the JDK included; empty
   *     unless asked for by {@link ChildJvm#logLoadedClasses()}; never null
   * @since 0.1
   */
  public record Result(
      int exitCode, boolean timedOut, Duration took, String output, Set<String> loadedClasses) {}
}
