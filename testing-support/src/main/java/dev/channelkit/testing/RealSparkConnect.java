package dev.channelkit.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Apache Spark's own Connect server in a child JVM, on a loopback port.
 *
 * <pre>{@code
 * try (RealSparkConnect server = RealSparkConnect.builder("4.2.0").authToken("secret").start()) {
 *   // a client of any kind on server.uri()
 *   server.kill();    // as kill -9: clients see UNAVAILABLE
 *   server.restart(); // a new server on the same port, without the old sessions
 * }
 * }</pre>
 *
 * <p><b>Where the jars come from</b>, first match: {@link Builder#classPath}; the system property
 * {@code channelkit.spark.classpath.VERSION}, which holds a class path or names a file that holds
 * one; a class path cached for this user (below {@code XDG_CACHE_HOME}, {@code LOCALAPPDATA} or
 * {@code ~/.cache}, or in the folder of system property {@code channelkit.cache}); one run of
 * {@code mvn dependency:build-classpath}, whose answer is cached by version. That run honours the
 * system property {@code maven.repo.local}, and the first one downloads about 400 MB.
 *
 * <p><b>No orphan.</b> The child ends when this JVM ends, also by {@code kill -9}: its standard
 * input is a pipe from here, and its launcher halts at the end of the pipe.
 *
 * <p><b>Time and memory.</b> A start takes 10 to 20 s on two cores and the child up to 1.5 GB of
 * heap, so test classes should share one server: {@link #shared(String)}.
 *
 * <p><b>JDK.</b> Spark 4.0.x does not run on JDK 24 or newer: there pass {@link Builder#javaHome}
 * of a JDK 17 or 21.
 *
 * <p>Thread-safe. {@link #kill()} and {@link #close()} may be called while another thread restarts
 * the server.
 *
 * @since 0.1
 */
public final class RealSparkConnect implements AutoCloseable {
  /** The newest version this class is tested with: {@value}. */
  public static final String NEWEST = "4.2.0";

  /** The oldest version this class is tested with: {@value}. */
  public static final String OLDEST = "4.0.1";

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(15);
  private static final int PORT_ATTEMPTS = 3;
  private static final Map<Config, RealSparkConnect> SHARED = new HashMap<>();
  private static final Set<RealSparkConnect> RUNNING = ConcurrentHashMap.newKeySet();

  private final Config config;
  private final Consumer<String> progress;
  private final List<Path> classPath;
  private final boolean shared;
  private final Path scratch;
  private final LogTail log;
  private volatile int port;
  private volatile @Nullable SparkServerProcess process;
  private volatile boolean closed;

  private RealSparkConnect(Config config, Consumer<String> progress, boolean shared) {
    this.config = config;
    this.progress = progress;
    this.shared = shared;
    this.log = new LogTail(config.token().isEmpty() ? Set.of() : Set.of(config.token()));
    this.port = config.port();
    config.checkJdk();
    this.classPath =
        config.classPath().isEmpty()
            ? new SparkClassPath(config.version(), System.getenv(), progress).resolve()
            : SparkClassPath.checked(config.classPath(), "classPath");
    try {
      this.scratch = Files.createTempDirectory("channelkit-spark").toRealPath();
    } catch (IOException e) {
      throw new StartFailedException("cannot make a temporary folder: " + e, "", e);
    }
  }

  /**
   * Describes a server.
   *
   * @param version of Apache Spark, tested with {@value #OLDEST} and {@value #NEWEST}; not null
   * @return a new builder
   * @throws IllegalArgumentException if it is not a version of at least 4.0
   */
  public static Builder builder(String version) {
    return new Builder(version);
  }

  /**
   * The server of this JVM with no special configuration: started by the first caller, then given
   * to all. The same as {@code builder(version).startShared()}.
   *
   * @param version of Apache Spark; not null
   * @return a server that answers
   * @see Builder#startShared()
   */
  public static RealSparkConnect shared(String version) {
    return builder(version).startShared();
  }

  /**
   * The port, which stays the same for the life of this object.
   *
   * @return 1 to 65535
   */
  public int port() {
    return port;
  }

  /**
   * The address in the form of Spark clients, without a token.
   *
   * @return {@code sc://localhost:PORT}
   */
  public URI uri() {
    return URI.create("sc://localhost:" + port);
  }

  /**
   * The version that was asked for.
   *
   * @return never null
   */
  public String version() {
    return config.version();
  }

  /**
   * The process id of the child JVM.
   *
   * @return the id, of the last child if none runs now
   */
  public long pid() {
    SparkServerProcess now = process;
    if (now == null) {
      throw new IllegalStateException("not started");
    }
    return now.pid();
  }

  /**
   * Whether the child JVM runs.
   *
   * @return false after a kill, a stop, a crash or a close
   */
  public boolean isAlive() {
    SparkServerProcess now = process;
    return now != null && now.isAlive();
  }

  /**
   * The end of what the server has written to its output, over all restarts; a token given to
   * {@link Builder#authToken} is replaced by {@code ***}.
   *
   * @return at most 2000 lines, oldest first
   */
  public List<String> log() {
    return List.copyOf(log.last(Integer.MAX_VALUE));
  }

  /**
   * Ends the child as {@code kill -9} does: no goodbye to clients, connections are reset. Returns
   * when it is gone; does nothing if none runs.
   */
  public void kill() {
    SparkServerProcess now = process;
    if (now != null) {
      now.kill();
    }
  }

  /**
   * Ends the child in an orderly way (SIGTERM), and by force after 15 s. Returns when it is gone;
   * does nothing if none runs.
   */
  public synchronized void stop() {
    SparkServerProcess now = process;
    if (now != null && now.isAlive()) {
      now.stop(STOP_PATIENCE);
    }
  }

  /**
   * Starts a new child with the same configuration on the same port, and stops the present one
   * first if it still runs. Returns when the new one answers.
   *
   * @throws StartFailedException if it does not come up
   * @throws IllegalStateException if this object is closed
   */
  public synchronized void restart() {
    stop();
    startOnce(port);
  }

  /**
   * Kills the child and deletes its temporary folder. Calling it again does nothing; on a shared
   * server it does nothing at all, since others use it: that one ends with this JVM.
   */
  @Override
  public void close() {
    if (!shared) {
      end();
    }
  }

  private void end() {
    closed = true;
    RUNNING.remove(this);
    SparkServerProcess now = process;
    if (now != null) {
      // Outside the lock: this also ends the wait of a thread that is just starting it.
      now.signalKill();
    }
    synchronized (this) {
      kill();
      Directories.delete(scratch);
    }
  }

  /** Names the version, the port and the process; never the token. */
  @Override
  public String toString() {
    SparkServerProcess now = process;
    return "RealSparkConnect{"
        + config.version()
        + ", "
        + uri()
        + (now == null ? "" : ", pid " + now.pid() + (now.isAlive() ? "" : " (ended)"))
        + "}";
  }

  private synchronized void startFirst() {
    ShutdownHook.install();
    RUNNING.add(this);
    boolean started = false;
    try {
      for (int attempt = 1; !started; attempt++) {
        port = config.port() == 0 ? freePort() : config.port();
        try {
          startOnce(port);
          started = true;
        } catch (StartFailedException e) {
          SparkServerProcess now = process;
          boolean again = config.port() == 0 && now != null && now.portTaken();
          if (!again || attempt == PORT_ATTEMPTS) {
            throw e;
          }
          progress.accept("port " + port + " was taken by another process, trying another one");
        }
      }
    } finally {
      if (!started) {
        end();
      }
    }
  }

  private void startOnce(int onPort) {
    if (closed) {
      throw new IllegalStateException("this RealSparkConnect is closed");
    }
    try {
      Path run = Files.createTempDirectory(scratch, "run");
      Path own = config.workingDirectory();
      Path work = own != null ? own : Files.createDirectories(run.resolve("work"));
      SparkServerProcess child =
          SparkServerProcess.launch(config, classPath, onPort, run, work, scratch, log);
      process = child;
      if (closed) {
        child.signalKill();
      }
      String failure = child.awaitReady(config.startTimeout(), progress);
      if (failure != null) {
        child.kill();
        throw failed(failure, null);
      }
      progress.accept("Spark Connect " + config.version() + " is ready on port " + onPort);
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
      throw failed("the wait for it was interrupted", e);
    } catch (IOException e) {
      throw failed("the child JVM cannot be started: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      kill();
      throw e;
    }
  }

  private StartFailedException failed(String why, @Nullable Throwable cause) {
    String tail = String.join("\n", log.last(40));
    return new StartFailedException(
        "Spark Connect "
            + config.version()
            + " did not start on port "
            + port
            + ": "
            + why
            + (tail.isEmpty() ? "" : "\nThe end of its log:\n" + tail),
        tail,
        cause);
  }

  /**
   * A port outside the range from which systems take ports for outgoing connections, so that the
   * port of a killed server is still free at its restart.
   */
  private static int freePort() {
    for (int attempt = 0; attempt < 100; attempt++) {
      int candidate = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket probe = new ServerSocket()) {
        probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), candidate));
        return candidate;
      } catch (IOException e) {
        // Taken: try the next one.
      }
    }
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new StartFailedException("no free port on the loopback address: " + e, "", e);
    }
  }

  /**
   * A server that did not come up. The message holds the likely reason and the end of the log.
   *
   * @since 0.1
   */
  public static final class StartFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String logTail;

    StartFailedException(String message, String logTail, @Nullable Throwable cause) {
      super(message, cause);
      this.logTail = logTail;
    }

    /**
     * The last lines of the child's output, without the token.
     *
     * @return lines separated by {@code \n}; empty if it said nothing
     */
    public String logTail() {
      return logTail;
    }
  }

  /** Everything that makes two servers the same. */
  record Config(
      String version,
      Map<String, String> conf,
      String token,
      Path javaHome,
      List<Path> classPath,
      Duration startTimeout,
      @Nullable Path workingDirectory,
      List<String> jvmOptions,
      int port,
      String mainClass) {

    /** Without the token, which a record would print. */
    @Override
    public String toString() {
      return "Config{" + version + ", port " + port + "}";
    }

    /** The system properties of the child. */
    Map<String, String> settings(int actualPort, Path temporary) {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("spark.master", "local[2]");
      all.put("spark.app.name", "channelkit-test-server");
      all.put("spark.ui.enabled", "false");
      all.put("spark.driver.bindAddress", "127.0.0.1");
      all.put("spark.driver.host", "127.0.0.1");
      all.put("spark.connect.grpc.binding.address", "127.0.0.1");
      all.put("spark.sql.shuffle.partitions", "2");
      all.put("spark.local.dir", temporary.toString());
      all.putAll(conf);
      all.put("spark.connect.grpc.binding.port", Integer.toString(actualPort));
      if (!token.isEmpty()) {
        all.put(Builder.TOKEN_CONF, token);
      }
      return all;
    }

    void checkJdk() {
      if (!version.startsWith("4.0.")) {
        return;
      }
      int feature = feature(javaHome);
      if (feature >= 24) {
        throw new IllegalStateException(
            "Spark Connect server "
                + version
                + " does not run on JDK 24 or newer, and "
                + javaHome
                + " is JDK "
                + feature
                + ": pass javaHome(Path) of a JDK 17 or 21");
      }
    }

    /** The feature release of a JDK, or 0 if it does not say. */
    private static int feature(Path javaHome) {
      Properties release = new Properties();
      try (var reader = Files.newBufferedReader(javaHome.resolve("release"))) {
        release.load(reader);
        String value = release.getProperty("JAVA_VERSION", "").replace("\"", "");
        return Runtime.Version.parse(value).feature();
      } catch (IOException | IllegalArgumentException e) {
        return javaHome.equals(Builder.ownJavaHome()) ? Runtime.version().feature() : 0;
      }
    }
  }

  private static final class ShutdownHook {
    private static boolean installed;

    static synchronized void install() {
      if (!installed) {
        installed = true;
        Runtime.getRuntime()
            .addShutdownHook(new Thread(ShutdownHook::run, "channelkit-spark-shutdown"));
      }
    }

    // Takes no lock: a thread that waits for a server to start would hold the exit up.
    private static void run() {
      for (RealSparkConnect server : RUNNING) {
        server.closed = true;
        SparkServerProcess process = server.process;
        if (process != null) {
          process.kill();
        }
        Directories.delete(server.scratch);
      }
    }
  }

  /**
   * Describes a server. Not thread-safe; may be used again after {@link #start()}.
   *
   * @since 0.1
   */
  public static final class Builder {
    static final String TOKEN_CONF = "spark.connect.authenticate.token";
    private static final String PORT_CONF = "spark.connect.grpc.binding.port";
    private static final String SERVER_CLASS =
        "org.apache.spark.sql.connect.service.SparkConnectServer";
    private static final Pattern VERSION =
        Pattern.compile("([4-9]|[1-9]\\d+)\\.\\d+\\.\\d+[\\w.-]*");

    private final String version;
    private final Map<String, String> conf = new LinkedHashMap<>();
    private final List<String> jvmOptions = new ArrayList<>();
    private String token = "";
    private Path javaHome = ownJavaHome();
    private List<Path> classPath = List.of();
    private Duration startTimeout = Duration.ofMinutes(3);
    private @Nullable Path workingDirectory;
    private int port;
    private String mainClass = SERVER_CLASS;
    private Consumer<String> progress = message -> {};

    private Builder(String version) {
      if (!VERSION.matcher(Objects.requireNonNull(version, "version")).matches()) {
        throw new IllegalArgumentException(
            "version: '" + version + "' is not a version of Apache Spark from 4.0.0 on");
      }
      this.version = version;
    }

    static Path ownJavaHome() {
      return Path.of(System.getProperty("java.home", "."));
    }

    /**
     * Sets a Spark configuration entry of the server. It wins over the defaults of this class:
     * {@code spark.master=local[2]}, no UI, two shuffle partitions, everything on loopback.
     *
     * @param key begins with {@code spark.}; not null. The port is set by {@link #port}
     * @param value not null
     * @return this
     * @throws IllegalArgumentException if the key cannot be set here
     */
    public Builder conf(String key, String value) {
      Objects.requireNonNull(key, "conf key");
      Objects.requireNonNull(value, () -> "conf value of " + key);
      if (!key.startsWith("spark.")) {
        throw new IllegalArgumentException(
            "conf: '" + key + "' does not begin with 'spark.'; use jvmOption(\"-D...\")");
      }
      if (key.equals(PORT_CONF)) {
        throw new IllegalArgumentException("conf: set " + key + " by port(int)");
      }
      if (key.equals(TOKEN_CONF)) {
        return authToken(value);
      }
      conf.put(key, value);
      return this;
    }

    /**
     * Sets several Spark configuration entries.
     *
     * @param entries as for {@link #conf(String, String)}; not null
     * @return this
     */
    public Builder conf(Map<String, String> entries) {
      entries.forEach(this::conf);
      return this;
    }

    /**
     * Makes the server demand {@code authorization: Bearer TOKEN} of every call. The token reaches
     * the child through a pipe: it is in no command line, file, log or {@code toString}.
     *
     * @param value the one fixed token: visible ASCII characters and spaces, none of these at an
     *     end; not null, not blank
     * @return this
     * @throws IllegalArgumentException if a header cannot carry it; the text does not show it
     */
    public Builder authToken(String value) {
      if (value.isBlank()) {
        throw new IllegalArgumentException("authToken: is blank");
      }
      if (!value.equals(value.strip()) || !value.chars().allMatch(c -> c >= ' ' && c <= '~')) {
        throw new IllegalArgumentException(
            "authToken: a client could not send it in a header; expected visible ASCII characters,"
                + " with no line break, and no space at an end");
      }
      token = value;
      return this;
    }

    /**
     * The JDK of the child; by default the one that runs this JVM.
     *
     * @param home a folder with {@code bin/java}; not null
     * @return this
     */
    public Builder javaHome(Path home) {
      Path bin = home.resolve("bin");
      if (!Files.exists(bin.resolve("java")) && !Files.exists(bin.resolve("java.exe"))) {
        throw new IllegalArgumentException("javaHome: " + home + " holds no bin/java");
      }
      javaHome = home;
      return this;
    }

    /**
     * The jars and class folders of the server. By default they are looked for, see {@link
     * RealSparkConnect}.
     *
     * @param entries each exists; not null, not empty
     * @return this
     */
    public Builder classPath(List<Path> entries) {
      if (entries.isEmpty()) {
        throw new IllegalArgumentException("classPath: is empty");
      }
      classPath = List.copyOf(entries);
      return this;
    }

    /**
     * How long {@link #start()} and {@link RealSparkConnect#restart()} wait for the server.
     *
     * @param timeout positive, at most 1 hour, 3 minutes by default; not null
     * @return this
     */
    public Builder startTimeout(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(Duration.ofHours(1)) > 0) {
        throw new IllegalArgumentException(
            "startTimeout: " + timeout + " is not between 1 ns and 1 hour");
      }
      startTimeout = timeout;
      return this;
    }

    /**
     * Where the child runs and writes {@code spark-warehouse}. By default a fresh temporary folder
     * for each start, deleted at close; a folder given here is kept.
     *
     * @param directory exists; not null
     * @return this
     */
    public Builder workingDirectory(Path directory) {
      if (!Files.isDirectory(directory)) {
        throw new IllegalArgumentException("workingDirectory: " + directory + " is no folder");
      }
      workingDirectory = directory.toAbsolutePath();
      return this;
    }

    /**
     * Adds a flag of the child JVM, after those of this class, so that it wins. Those are {@code
     * -Xmx1500m}, {@code -XX:+UseSerialGC}, {@code -XX:TieredStopAtLevel=1} (a start takes half the
     * CPU time; {@code -XX:TieredStopAtLevel=4} gives the optimizing compiler back) and what Spark
     * needs. A command line is not secret.
     *
     * @param option such as {@code -Xmx3g}; not null
     * @return this
     */
    public Builder jvmOption(String option) {
      if (!option.startsWith("-")) {
        throw new IllegalArgumentException("jvmOption: '" + option + "' does not begin with '-'");
      }
      if (option.indexOf('\n') >= 0 || option.indexOf('\r') >= 0) {
        throw new IllegalArgumentException(
            "jvmOption: holds a line break, which an argument file of Java cannot; one flag a call");
      }
      jvmOptions.add(option);
      return this;
    }

    /**
     * The port of the server; by default a free one is chosen, and another one if it is taken
     * before the server has it.
     *
     * @param number 1024 to 65535, or 0 for a free one
     * @return this
     */
    public Builder port(int number) {
      if (number != 0 && (number < 1024 || number > 65_535)) {
        throw new IllegalArgumentException("port: " + number + " is not 0 or 1024 to 65535");
      }
      port = number;
      return this;
    }

    /**
     * Is told once a second what the start waits for, in words for a human, on the thread that
     * starts. By default nobody is told.
     *
     * @param listener must not throw; not null
     * @return this
     */
    public Builder onProgress(Consumer<String> listener) {
      progress = Objects.requireNonNull(listener, "onProgress");
      return this;
    }

    /** Something quicker than Spark, for the tests of this class. */
    Builder mainClass(String name) {
      mainClass = name;
      return this;
    }

    /**
     * Starts the server and returns when it answers.
     *
     * @return a running server, to be closed by the caller
     * @throws StartFailedException if it does not come up; nothing is left running
     * @throws IllegalStateException if its jars cannot be found, or if it does not run on the JDK
     */
    public RealSparkConnect start() {
      RealSparkConnect server = new RealSparkConnect(config(), progress, false);
      server.startFirst();
      return server;
    }

    /**
     * The one server of this JVM (more exactly: of this class loader) with exactly this
     * configuration: started by the first caller, then given to all, ended with the JVM. Its {@code
     * close} does nothing, so that it may stand in a try block or a JUnit {@code @AfterAll}. Users
     * of it must not stop or kill it, and must not rely on its sessions being theirs alone; a
     * shared server that died is started again on its port.
     *
     * @return a running server
     * @throws StartFailedException if it does not come up
     * @throws IllegalStateException if its jars cannot be found, or if it does not run on the JDK
     */
    public RealSparkConnect startShared() {
      Config config = config();
      synchronized (SHARED) {
        RealSparkConnect server = SHARED.get(config);
        if (server == null) {
          server = new RealSparkConnect(config, progress, true);
          server.startFirst();
          SHARED.put(config, server);
        } else if (!server.isAlive()) {
          server.restart();
        }
        return server;
      }
    }

    private Config config() {
      return new Config(
          version,
          Map.copyOf(conf),
          token,
          javaHome,
          classPath,
          startTimeout,
          workingDirectory,
          List.copyOf(jvmOptions),
          port,
          mainClass);
    }
  }
}
