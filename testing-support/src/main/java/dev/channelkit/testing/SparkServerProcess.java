package dev.channelkit.testing;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One child JVM with one server in it, from its launch to its end. */
final class SparkServerProcess {
  private static final String READY_LINE = "Spark Connect server started";
  // A server whose log says nothing is taken as ready when it has answered for so long: another
  // process that took the port would make ours end in that time.
  private static final long SILENT_READY_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int POLL_MILLIS = 100;

  private final String name;
  private final Process process;
  private final int port;
  private final LogTail log;
  private final Thread pump;
  private volatile boolean ready;

  private SparkServerProcess(String name, Process process, int port, LogTail log) {
    this.name = name;
    this.process = process;
    this.port = port;
    this.log = log;
    this.pump = new Thread(this::pump, "channelkit-spark-log-" + process.pid());
    pump.setDaemon(true);
    pump.start();
  }

  /**
   * Starts the child; returns without waiting for the server.
   *
   * @param scratch for files of the launcher; the caller deletes it after the child's end
   */
  static SparkServerProcess launch(
      RealSparkConnect.Config config,
      List<Path> classPath,
      int port,
      Path scratch,
      Path workingDirectory,
      Path deleteWhenParentIsGone,
      LogTail log)
      throws IOException {
    Path launcher = scratch.resolve("launcher");
    copyLauncher(launcher);
    Path temporary = Files.createDirectories(scratch.resolve("tmp"));
    Path logging = scratch.resolve("log4j2.properties");
    Files.writeString(logging, LOGGING);

    List<String> arguments = new ArrayList<>(JVM_FLAGS);
    arguments.add("-Djava.io.tmpdir=" + temporary);
    arguments.add("-Dlog4j2.configurationFile=" + logging.toUri());
    arguments.addAll(config.jvmOptions());
    arguments.add("-cp");
    StringBuilder path = new StringBuilder();
    for (Path entry : classPath) {
      path.append(entry.toAbsolutePath()).append(File.pathSeparator);
    }
    arguments.add(path.append(launcher).toString());
    // A file, because a class path of 200 jars is longer than a Windows command line.
    Path argumentFile = scratch.resolve("java.args");
    Files.write(argumentFile, arguments.stream().map(SparkServerProcess::quoted).toList());

    Path java =
        config.javaHome().resolve("bin").resolve(File.separatorChar == '\\' ? "java.exe" : "java");
    ProcessBuilder builder =
        new ProcessBuilder(java.toString(), "@" + argumentFile, SparkServerMain.class.getName())
            .directory(workingDirectory.toFile())
            .redirectErrorStream(true);
    // A token of the user's own shell would lock the test out of its server.
    builder.environment().remove("SPARK_CONNECT_AUTHENTICATE_TOKEN");

    Process process = builder.start();
    SparkServerProcess child =
        new SparkServerProcess("Spark Connect " + config.version(), process, port, log);
    try {
      child.sendSettings(config, temporary, deleteWhenParentIsGone);
    } catch (IOException e) {
      // The child ended before it read them; its log says why, and awaitReady reports it.
      log.add("channelkit: the child did not take its settings: " + e.getMessage());
    }
    return child;
  }

  private void sendSettings(
      RealSparkConnect.Config config, Path temporary, Path deleteWhenParentIsGone)
      throws IOException {
    Map<String, String> settings = config.settings(port, temporary);
    // Stays open: its end tells the child that this JVM is gone.
    @SuppressWarnings("resource")
    DataOutputStream out = new DataOutputStream(process.getOutputStream());
    writeText(out, config.mainClass());
    writeText(out, deleteWhenParentIsGone.toString());
    out.writeInt(settings.size());
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      writeText(out, setting.getKey());
      writeText(out, setting.getValue());
    }
    out.flush();
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static void copyLauncher(Path directory) throws IOException {
    String file = SparkServerMain.class.getName().replace('.', '/') + ".class";
    Path target = directory.resolve(file);
    Files.createDirectories(target.getParent());
    // Copied, so that neither our other classes nor their dependencies meet Spark's.
    try (InputStream in = SparkServerMain.class.getResourceAsStream("SparkServerMain.class")) {
      if (in == null) {
        throw new IOException(file + " is missing in channelkit-testing");
      }
      Files.copy(in, target);
    }
  }

  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private void pump() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        log.add(line);
        if (line.contains(READY_LINE)) {
          ready = true;
        }
      }
    } catch (IOException e) {
      // The child ended while a line was read.
    }
  }

  /**
   * Waits until the server answers.
   *
   * @return null when it does, else why it does not
   */
  @Nullable String awaitReady(Duration timeout, Consumer<String> progress)
      throws InterruptedException {
    long start = System.nanoTime();
    long answersSince = 0;
    long told = -1;
    while (true) {
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        pump.join(TimeUnit.SECONDS.toMillis(5));
        return "the child JVM ended with exit code " + process.exitValue() + reason();
      }
      long now = System.nanoTime();
      long seconds = TimeUnit.NANOSECONDS.toSeconds(now - start);
      if (seconds != told) {
        told = seconds;
        progress.accept(name + " is starting, " + seconds + " s");
      }
      boolean answers = (ready || seconds >= 2) && answersHttp2();
      if (answers && ready) {
        return null;
      }
      if (!answers) {
        answersSince = 0;
      } else if (answersSince == 0) {
        answersSince = now;
      } else if (now - answersSince > SILENT_READY_NANOS) {
        return null;
      }
      if (now - start > timeout.toNanos()) {
        return "it was not ready within " + timeout + " (startTimeout)" + reason();
      }
    }
  }

  boolean portTaken() {
    return log.contains("Address already in use") || log.contains("java.net.BindException");
  }

  private String reason() {
    if (portTaken()) {
      return "; likely reason: port " + port + " is taken by another process";
    }
    if (log.contains("ClassNotFoundException")
        || log.contains("NoClassDefFoundError")
        || log.contains("Could not find or load main class")) {
      return "; likely reason: the class path is not that of a Spark Connect server"
          + " (spark-connect, spark-sql and spark-mllib with all their dependencies)";
    }
    if (log.contains("getSubject is not supported")) {
      return "; likely reason: this Spark does not run on this JDK, pass javaHome(Path) of an older"
          + " one";
    }
    if (log.contains("OutOfMemoryError") || log.contains("Cannot allocate memory")) {
      return "; likely reason: too little memory";
    }
    if (log.contains("Unrecognized option")
        || log.contains("Could not create the Java Virtual Machine")) {
      return "; likely reason: a jvmOption that this JVM does not know";
    }
    return "";
  }

  /** Whether something on the port answers a connection preface with SETTINGS. */
  private boolean answersHttp2() {
    byte[] prefaceAndEmptySettings =
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      socket.setSoTimeout(1_000);
      socket.getOutputStream().write(prefaceAndEmptySettings);
      byte[] frame = socket.getInputStream().readNBytes(9);
      return frame.length == 9 && frame[3] == 4;
    } catch (IOException e) {
      return false;
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL, without waiting. */
  void signalKill() {
    process.destroyForcibly();
  }

  /** SIGKILL; returns when the child is gone. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** SIGTERM, and SIGKILL if that does not end it in time. */
  void stop(Duration patience) {
    // Not Process.destroy: it closes the pipe, which tells the child that its parent is gone.
    process.toHandle().destroy();
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    awaitEnd();
  }

  private void awaitEnd() {
    boolean interrupted = false;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try {
        if (!process.waitFor(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
          throw new IllegalStateException("process " + pid() + " does not end after SIGKILL");
        }
        pump.join(TimeUnit.SECONDS.toMillis(5));
        break;
      } catch (InterruptedException e) {
        // The child was killed: waiting for its end is short, and its files are deleted next.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static final String LOGGING =
      """
      rootLogger.level = info
      rootLogger.appenderRef.stdout.ref = console
      appender.console.type = Console
      appender.console.name = console
      appender.console.target = SYSTEM_ERR
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n%ex
      """;

  private static final List<String> JVM_FLAGS =
      List.of(
          "-Xmx1500m",
          "-XX:+UseSerialGC",
          // A start costs half the CPU time; what a test then asks of the server is small.
          "-XX:TieredStopAtLevel=1",
          "-Djava.awt.headless=true",
          "-Djdk.reflect.useDirectMethodHandle=false",
          "-Dio.netty.tryReflectionSetAccessible=true",
          // Arrow's buffers need Netty's use of Unsafe, which JDK 24 and newer allow only when told
          // to; an older JDK does not know the option.
          "-XX:+IgnoreUnrecognizedVMOptions",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dio.netty.noUnsafe=false",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
          "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
          "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED");
}
