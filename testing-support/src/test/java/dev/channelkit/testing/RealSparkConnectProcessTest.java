package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.channelkit.testing.RealSparkConnect.StartFailedException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the child JVM is started, watched and ended, with a fake server that starts at once. */
class RealSparkConnectProcessTest {
  @TempDir Path directory;

  private static Path classes() {
    try {
      return Path.of(
          FakeSparkServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static RealSparkConnect.Builder fake(String mode) {
    return RealSparkConnect.builder("4.2.0")
        .classPath(List.of(classes()))
        .mainClass(FakeSparkServer.class.getName())
        .conf("spark.fake.mode", mode);
  }

  @Test
  @DisplayName("kill, stop and restart keep the port, and close is final and may be repeated")
  void lifecycle() throws IOException {
    RealSparkConnect server = fake("good").start();
    try (server) {
      int port = server.port();
      long first = server.pid();
      server.kill();
      server.kill();
      assertThat(ProcessHandle.of(first)).isEmpty();
      server.restart();
      long second = server.pid();
      assertThat(second).isNotEqualTo(first);
      server.restart(); // also while it runs
      assertThat(ProcessHandle.of(second)).isEmpty();
      server.stop();
      server.stop();
      assertThat(server.isAlive()).isFalse();
      server.restart();
      assertThat(server.port()).isEqualTo(port);
      assertThat(server.isAlive()).isTrue();
    }
    server.close();
    assertThat(server.isAlive()).isFalse();
    assertThatThrownBy(server::restart)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  @DisplayName("the token is neither on the command line nor in the log or any text")
  void tokenIsSecret() {
    try (RealSparkConnect server = fake("good").authToken("s3cret-value").start()) {
      assertThat(server.log()).contains("token ***");
      assertThat(server.toString()).doesNotContain("s3cret");
      assertThat(ProcessHandle.of(server.pid()).orElseThrow().info().toString())
          .doesNotContain("s3cret");
    }
    StartFailedException failure =
        catchThrowableOfType(
            StartFailedException.class, () -> fake("throws").authToken("s3cret-value").start());
    assertThat(failure).hasMessageContaining("token ***");
    assertThat(failure.getMessage()).doesNotContain("s3cret");
  }

  @Test
  @DisplayName("settings of any length and with any character reach the server")
  void oddSettings() {
    String token = "a \"quoted\" \\ token " + "x".repeat(100_000);
    try (RealSparkConnect server =
        fake("good")
            .authToken(token)
            .conf("spark.odd key", "line one\nline two \u20ac")
            .startTimeout(Duration.ofSeconds(60))
            .start()) {
      assertThat(server.isAlive()).isTrue();
      assertThat(server.log()).contains("token ***");
    }
  }

  @Test
  @DisplayName("a class path without Spark: the exception says so and holds the end of the log")
  void wrongClassPath() {
    StartFailedException failure =
        catchThrowableOfType(
            StartFailedException.class,
            () -> RealSparkConnect.builder("4.2.0").classPath(List.of(directory)).start());
    assertThat(failure)
        .hasMessageContaining("exit code " + SparkServerMain.MAIN_FAILED)
        .hasMessageContaining("likely reason: the class path");
    assertThat(failure.logTail()).contains("ClassNotFoundException");
  }

  @Test
  @DisplayName("a server that fails: its own words reach the caller, and nothing is left")
  void serverFails() {
    long before = temporaryFolders();
    assertThatThrownBy(() -> fake("throws").start())
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("the fake server fails");
    assertThat(temporaryFolders()).isEqualTo(before);
  }

  private static long temporaryFolders() {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files.filter(file -> file.toString().contains("channelkit-spark")).count();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("a server that never answers ends with startTimeout, and progress was told")
  void neverReady() {
    List<String> progress = new ArrayList<>();
    assertThatThrownBy(
            () ->
                fake("hangs").startTimeout(Duration.ofSeconds(1)).onProgress(progress::add).start())
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("startTimeout");
    assertThat(progress).anyMatch(line -> line.contains("Spark Connect 4.2.0 is starting"));
  }

  @Test
  @DisplayName("a server whose log says nothing is ready once it has answered for a while")
  void silentServer() {
    try (RealSparkConnect server = fake("silent").start()) {
      assertThat(server.isAlive()).isTrue();
    }
  }

  @Test
  @DisplayName("a chosen port that is taken fails and says so; a free one is chosen again")
  void portTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> fake("good").port(taken.getLocalPort()).start())
          .isInstanceOf(StartFailedException.class)
          .hasMessageContaining("port " + taken.getLocalPort() + " is taken");
    }
    List<String> progress = new ArrayList<>();
    try (RealSparkConnect server =
        fake("bindOnce").workingDirectory(directory).onProgress(progress::add).start()) {
      assertThat(server.isAlive()).isTrue();
      assertThat(progress).anyMatch(line -> line.contains("was taken"));
    }
    assertThat(directory.resolve("second")).exists();
  }

  @Test
  @DisplayName("close ends a start that another thread waits for")
  void closeDuringRestart() throws Exception {
    Path gate = directory.resolve("second");
    Files.createFile(gate);
    CountDownLatch starting = new CountDownLatch(2);
    RealSparkConnect server =
        fake("bindOnce")
            .workingDirectory(directory)
            .onProgress(
                line -> {
                  if (line.contains("is starting")) {
                    starting.countDown();
                  }
                })
            .start();
    CompletableFuture<Void> restart = CompletableFuture.runAsync(server::restart);
    starting.await();
    server.close();
    assertThat(restart).failsWithin(Duration.ofSeconds(20));
    assertThat(server.isAlive()).isFalse();
  }

  @Test
  @DisplayName("equal configurations share one server, which close leaves alone")
  void shared() {
    RealSparkConnect one = fake("good").startShared();
    RealSparkConnect same = fake("good").startShared();
    RealSparkConnect other = fake("good").conf("spark.x", "y").startShared();
    one.close();
    assertThat(same).isSameAs(one).isNotSameAs(other);
    assertThat(one.isAlive()).isTrue();
    int port = one.port();
    one.kill();
    assertThat(fake("good").startShared().port()).isEqualTo(port);
    assertThat(one.isAlive()).isTrue();
  }

  @Test
  @DisplayName("no orphan when the parent is killed with -9, and its temporary folder goes too")
  void noOrphanAfterKill() throws Exception {
    Process parent = parent();
    try (BufferedReader out = parent.inputReader(StandardCharsets.UTF_8)) {
      ProcessHandle child = childOf(out);
      assertThat(child.isAlive()).isTrue();
      parent.destroyForcibly();
      assertThat(child.onExit().get(30, TimeUnit.SECONDS).isAlive()).isFalse();
      Awaitility.await().until(() -> isEmpty(directory));
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  @DisplayName("no orphan when the parent exits without closing")
  void noOrphanAfterExit() throws Exception {
    Process parent = parent("exit");
    try (BufferedReader out = parent.inputReader(StandardCharsets.UTF_8)) {
      // The parent may be gone before its line is read, and the child with it.
      Optional<ProcessHandle> child = ProcessHandle.of(childPid(out));
      if (child.isPresent()) {
        child.get().onExit().get(30, TimeUnit.SECONDS);
      }
      assertThat(parent.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(isEmpty(directory)).isTrue();
    } finally {
      parent.destroyForcibly();
    }
  }

  private Process parent(String... more) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + directory,
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path",
                    System.getProperty("java.class.path", "") + File.pathSeparator),
                OrphanParent.class.getName(),
                classes().toString()));
    command.addAll(List.of(more));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static ProcessHandle childOf(BufferedReader out) throws IOException {
    return ProcessHandle.of(childPid(out)).orElseThrow();
  }

  private static long childPid(BufferedReader out) throws IOException {
    String line = out.readLine();
    assertThat(line).startsWith("child ");
    return Long.parseLong(line.substring("child ".length()));
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  @Test
  @DisplayName("Spark 4.0.x on JDK 24 or newer is refused and javaHome(Path) is named")
  void jdkTooNew() throws IOException {
    Path bin = Files.createDirectories(directory.resolve("bin"));
    Files.createFile(bin.resolve("java"));
    Files.writeString(directory.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    assertThatThrownBy(
            () ->
                RealSparkConnect.builder("4.0.1")
                    .classPath(List.of(directory))
                    .javaHome(directory)
                    .start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("javaHome(Path)")
        .hasMessageContaining("JDK 25");
  }

  @Test
  @DisplayName("bad input is refused with the name of the option")
  void badInput() {
    RealSparkConnect.Builder builder = RealSparkConnect.builder("4.2.0");
    assertThatThrownBy(() -> RealSparkConnect.builder("latest")).hasMessageContaining("version");
    assertThatThrownBy(() -> RealSparkConnect.builder("4.2.0/../x"))
        .hasMessageContaining("version");
    assertThatThrownBy(() -> builder.jvmOption("-Dx=a\nb"))
        .hasMessageContaining("jvmOption")
        .hasMessageContaining("line break");
    assertThatThrownBy(() -> RealSparkConnect.builder("3.5.1")).hasMessageContaining("version");
    assertThatThrownBy(() -> builder.conf("x", "y")).hasMessageContaining("spark.");
    assertThatThrownBy(() -> builder.conf("spark.x", null)).hasMessageContaining("spark.x");
    assertThatThrownBy(() -> builder.conf("spark.connect.grpc.binding.port", "1"))
        .hasMessageContaining("port(int)");
    assertThatThrownBy(() -> builder.authToken(" ")).hasMessageContaining("authToken");
    for (String unsendable : List.of("s3cret\n", " s3cret", "s3cr\u00e9t", "s3\ncret")) {
      assertThatThrownBy(() -> builder.authToken(unsendable))
          .hasMessageContaining("authToken")
          .hasMessageContaining("visible ASCII")
          .hasMessageNotContaining("cret");
    }
    assertThatThrownBy(() -> builder.javaHome(directory)).hasMessageContaining("javaHome");
    assertThatThrownBy(() -> builder.classPath(List.of())).hasMessageContaining("classPath");
    assertThatThrownBy(() -> builder.startTimeout(Duration.ZERO))
        .hasMessageContaining("startTimeout");
    assertThatThrownBy(() -> builder.startTimeout(Duration.ofDays(1)))
        .hasMessageContaining("startTimeout");
    assertThatThrownBy(() -> builder.workingDirectory(directory.resolve("x")))
        .hasMessageContaining("workingDirectory");
    assertThatThrownBy(() -> builder.jvmOption("Xmx")).hasMessageContaining("jvmOption");
    assertThatThrownBy(() -> builder.port(80)).hasMessageContaining("port");
    assertThatThrownBy(() -> builder.port(65_536)).hasMessageContaining("port");
  }
}
