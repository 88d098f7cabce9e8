package dev.channelkit.testing;

import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelProvider;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small gRPC server that does what a test tells it and records every call. It serves any method
 * of any service by its full name, with messages as bytes, so it needs no generated class.
 *
 * <pre>{@code
 * try (ScriptedServer server = ScriptedServer.inProcess()) {
 *   server.on("spark.connect.SparkConnectService/Config", Script.answer(bytes));
 *   Channel channel = server.channel();
 *   // calls on the channel
 *   server.awaitCalls(1, Duration.ofSeconds(5));
 *   server.awaitNoOpenCalls(Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>Strict: a call of a method without a script ends with UNIMPLEMENTED, and the description names
 * the methods that have one. Scripts may be set and replaced at any time; a running call keeps its
 * own.
 *
 * <p>Thread-safe. Script steps of one call run one after the other, on the server's executor, on
 * the scheduler's thread after a delay, or on the thread that releases a hold.
 *
 * @since 0.1
 */
public final class ScriptedServer implements AutoCloseable {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private final Server server;
  private final @Nullable String name;
  private final InstantSource clock;
  private final ScheduledExecutorService scheduler;
  private final boolean ownScheduler;
  private final Map<String, Function<RecordedCall, Script>> scripts = new ConcurrentHashMap<>();

  private final Object lock = new Object();
  // Guarded by the lock.
  private final List<RecordedCall> calls = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private int openCalls;

  private ScriptedServer(Builder builder) {
    clock = builder.clock;
    ScheduledExecutorService given = builder.scheduler;
    ownScheduler = given == null;
    scheduler = given == null ? daemonScheduler() : given;
    ServerBuilder<?> grpc;
    if (builder.port < 0) {
      name = "channelkit-scripted-" + NAMES.incrementAndGet();
      grpc = InProcessServerBuilder.forName(name);
    } else {
      name = null;
      grpc = tcp(builder.port);
    }
    grpc.fallbackHandlerRegistry(new AnyMethod());
    if (builder.executor != null) {
      grpc.executor(builder.executor);
    }
    try {
      server = grpc.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the scripted server cannot listen"
              + (builder.port > 0
                  ? " on port "
                      + builder.port
                      + ": is it taken? Port 0 takes a free one, see port()"
                  : ""),
          e);
    }
  }

  private static ServerBuilder<?> tcp(int port) {
    try {
      return onLoopback(ServerBuilder.forPort(port), port);
    } catch (ManagedChannelProvider.ProviderNotFoundException e) {
      throw new IllegalStateException(
          "a scripted server on TCP needs a gRPC transport on the class path: add"
              + " io.grpc:grpc-netty or io.grpc:grpc-netty-shaded in test scope",
          e);
    }
  }

  // What all transports share cannot say an address. Netty's builder can, in each of its
  // packagings,
  // and naming its type here would make it a dependency of everybody.
  private static ServerBuilder<?> onLoopback(ServerBuilder<?> onAllInterfaces, int port) {
    try {
      Object onLoopback =
          onAllInterfaces
              .getClass()
              .getMethod("forAddress", SocketAddress.class)
              .invoke(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return onLoopback instanceof ServerBuilder<?> builder ? builder : onAllInterfaces;
    } catch (ReflectiveOperationException e) {
      return onAllInterfaces;
    }
  }

  /** Where it listens. */
  List<? extends SocketAddress> addresses() {
    return server.getListenSockets();
  }

  private static ScheduledExecutorService daemonScheduler() {
    return Executors.newSingleThreadScheduledExecutor(
        runnable -> {
          Thread thread = new Thread(runnable, "channelkit-scripted-delays");
          thread.setDaemon(true);
          return thread;
        });
  }

  /**
   * A started server in this JVM, without a socket.
   *
   * @return to be closed by the caller
   */
  public static ScriptedServer inProcess() {
    return builder().start();
  }

  /**
   * A started server on TCP, in plaintext. It listens on the loopback address alone if the
   * transport is grpc-netty or grpc-netty-shaded; others cannot be told an address and listen on
   * all of them.
   *
   * @param port 0 for a free one, else up to 65535
   * @return to be closed by the caller
   * @throws IllegalStateException if no gRPC transport such as grpc-netty is on the class path
   */
  public static ScriptedServer onPort(int port) {
    return builder().port(port).start();
  }

  /**
   * Describes a server.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A method whose messages are bytes, for raw calls without generated classes.
   *
   * @param type of the method; not null
   * @param fullMethodName {@code package.Service/Method}; not null
   * @return a new descriptor
   */
  public static MethodDescriptor<byte[], byte[]> bytesMethod(
      MethodDescriptor.MethodType type, String fullMethodName) {
    return MethodDescriptor.newBuilder(BYTES, BYTES)
        .setType(type)
        .setFullMethodName(fullMethodName)
        .build();
  }

  /**
   * Sets what calls of a method get: the first call the first script, and so on; the last script
   * serves all further calls. Replaces what was set before.
   *
   * @param fullMethodName {@code package.Service/Method}; not null
   * @param script of the first call; not null
   * @param more of the calls after it; not null
   * @return this
   */
  public ScriptedServer on(String fullMethodName, Script script, Script... more) {
    List<Script> all = new ArrayList<>();
    all.add(Objects.requireNonNull(script, "script"));
    for (Script next : more) {
      all.add(Objects.requireNonNull(next, "script"));
    }
    AtomicInteger number = new AtomicInteger();
    return onEach(
        fullMethodName, call -> all.get(number.getAndUpdate(n -> Math.min(n + 1, all.size() - 1))));
  }

  /**
   * Chooses a script for each call of a method, when the call arrives: its headers are there, its
   * messages are not. Replaces what was set before.
   *
   * @param fullMethodName {@code package.Service/Method}; not null
   * @param choice called on the server's executor; what it throws ends the call with INTERNAL; not
   *     null and must not return null
   * @return this
   */
  public ScriptedServer onEach(String fullMethodName, Function<RecordedCall, Script> choice) {
    if (fullMethodName.indexOf('/') <= 0) {
      throw new IllegalArgumentException(
          "fullMethodName: '" + fullMethodName + "' is not of the form package.Service/Method");
    }
    scripts.put(fullMethodName, Objects.requireNonNull(choice, "choice"));
    return this;
  }

  /**
   * The port of a server on TCP.
   *
   * @return 1 to 65535
   * @throws IllegalStateException if the server is in process
   */
  public int port() {
    if (name != null) {
      throw new IllegalStateException("an in-process server has no port; use channel()");
    }
    return server.getPort();
  }

  /**
   * A new channel to this server, shut down by {@link #close()}.
   *
   * @return never null
   */
  public ManagedChannel channel() {
    return register(channelBuilder().build());
  }

  /**
   * A builder of channels to this server, in plaintext. What it builds is the caller's to shut
   * down.
   *
   * @return a new builder
   */
  public ManagedChannelBuilder<?> channelBuilder() {
    return name != null
        ? InProcessChannelBuilder.forName(name)
        : ManagedChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext();
  }

  private ManagedChannel register(ManagedChannel channel) {
    synchronized (lock) {
      channels.add(channel);
    }
    return channel;
  }

  /**
   * Every call so far, also those that are open and those of methods without a script.
   *
   * @return a copy, in the order of arrival
   */
  public List<RecordedCall> calls() {
    synchronized (lock) {
      return List.copyOf(calls);
    }
  }

  /**
   * The calls of one method so far.
   *
   * @param fullMethodName not null
   * @return in the order of arrival
   */
  public List<RecordedCall> calls(String fullMethodName) {
    return calls().stream().filter(call -> call.method().equals(fullMethodName)).toList();
  }

  /**
   * How many calls have neither been answered to the end nor cancelled. A client that leaks no call
   * brings it back to zero.
   *
   * @return zero or more
   */
  public int openCalls() {
    synchronized (lock) {
      return openCalls;
    }
  }

  /**
   * Waits, in real time, until at least so many calls have arrived.
   *
   * @param count positive
   * @param timeout not null
   * @return all calls so far
   * @throws AssertionError if they do not arrive in time; it names those that did
   */
  public List<RecordedCall> awaitCalls(int count, Duration timeout) {
    await(
        () -> calls.size() >= count,
        timeout,
        () -> count + " calls did not arrive within " + timeout + ", but: " + calls);
    return calls();
  }

  /**
   * Waits, in real time, until no call is open.
   *
   * @param timeout not null
   * @throws AssertionError if a call is still open then; it names the open calls
   */
  public void awaitNoOpenCalls(Duration timeout) {
    await(
        () -> openCalls == 0,
        timeout,
        () ->
            "still open after "
                + timeout
                + ": "
                + calls.stream().filter(call -> call.endedAt().isEmpty()).toList());
  }

  private void await(BooleanSupplier condition, Duration timeout, Supplier<String> failure) {
    long end = System.nanoTime() + timeout.toNanos();
    synchronized (lock) {
      while (!condition.getAsBoolean()) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          throw new AssertionError(failure.get());
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(lock, left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new AssertionError("interrupted: " + failure.get(), e);
        }
      }
    }
  }

  /**
   * Shuts the channels of {@link #channel()} and the server down, which cancels open calls, and
   * waits up to 10 s for the end. Calling it again does nothing.
   */
  @Override
  public void close() {
    List<ManagedChannel> toClose;
    synchronized (lock) {
      toClose = List.copyOf(channels);
      channels.clear();
    }
    toClose.forEach(ManagedChannel::shutdownNow);
    server.shutdownNow();
    try {
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (ownScheduler) {
      scheduler.shutdownNow();
    }
  }

  /** Names the address and the numbers of calls. */
  @Override
  public String toString() {
    synchronized (lock) {
      return "ScriptedServer{"
          + (name != null ? name : "port " + server.getPort())
          + ", "
          + calls.size()
          + " calls, "
          + openCalls
          + " open}";
    }
  }

  private Script choose(RecordedCall call) {
    Function<RecordedCall, Script> choice = scripts.get(call.method());
    if (choice == null) {
      return Script.begin()
          .atStart()
          .fail(
              Status.UNIMPLEMENTED.withDescription(
                  "the scripted server has no script for "
                      + call.method()
                      + "; it has some for "
                      + new TreeMap<>(scripts).keySet()));
    }
    try {
      return Objects.requireNonNull(choice.apply(call), "the choice of a script returned null");
    } catch (RuntimeException | Error e) {
      return Script.begin()
          .atStart()
          .fail(
              Status.INTERNAL
                  .withDescription("choosing a script for " + call.method() + " failed: " + e)
                  .withCause(e));
    }
  }

  /** Serves every name: the type of a method is known to the client alone. */
  private final class AnyMethod extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(
        String methodName, @Nullable String authority) {
      return ServerMethodDefinition.create(
          bytesMethod(MethodDescriptor.MethodType.BIDI_STREAMING, methodName), new Handler());
    }
  }

  private final class Handler implements ServerCallHandler<byte[], byte[]> {
    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata headers) {
      String authority = Objects.requireNonNullElse(call.getAuthority(), "");
      RecordedCall record =
          new RecordedCall(
              call.getMethodDescriptor().getFullMethodName(), authority, headers, clock.instant());
      synchronized (lock) {
        calls.add(record);
        openCalls++;
        lock.notifyAll();
      }
      ScriptedCall scripted =
          new ScriptedCall(
              call, record, choose(record), scheduler, byCancel -> ended(record, byCancel));
      scripted.begin();
      return scripted;
    }
  }

  private void ended(RecordedCall record, boolean byCancel) {
    if (record.markEnded(byCancel, clock.instant())) {
      synchronized (lock) {
        openCalls--;
        lock.notifyAll();
      }
    }
  }

  /**
   * Describes a server. Not thread-safe.
   *
   * @since 0.1
   */
  public static final class Builder {
    private int port = -1;
    private InstantSource clock = Clock.systemUTC();
    private @Nullable ScheduledExecutorService scheduler;
    private @Nullable Executor executor;

    private Builder() {}

    /**
     * Listens on TCP as {@link ScriptedServer#onPort} does; by default the server is in process.
     *
     * @param number 0 for a free one, else up to 65535
     * @return this
     */
    public Builder port(int number) {
      if (number < 0 || number > 65_535) {
        throw new IllegalArgumentException("port: " + number + " is not 0 to 65535");
      }
      port = number;
      return this;
    }

    /**
     * Delays and recorded times follow this scheduler's clock; by default they are real.
     *
     * @param manual not null
     * @return this
     */
    public Builder scheduler(ManualScheduler manual) {
      scheduler = manual;
      clock = manual.clock();
      return this;
    }

    /**
     * Where calls are handled; by default gRPC's own pool.
     *
     * @param calls not null; never shut down by the server
     * @return this
     */
    public Builder executor(Executor calls) {
      executor = Objects.requireNonNull(calls, "executor");
      return this;
    }

    /**
     * Starts the server.
     *
     * @return to be closed by the caller
     * @throws IllegalStateException if it is on TCP and no gRPC transport is on the class path
     * @throws UncheckedIOException if the port is taken
     */
    public ScriptedServer start() {
      return new ScriptedServer(this);
    }
  }
}
