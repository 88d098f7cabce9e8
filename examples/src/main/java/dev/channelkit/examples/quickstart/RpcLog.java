package dev.channelkit.examples.quickstart;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.sparkproject.io.grpc.CallCredentials;
import org.sparkproject.io.grpc.CallOptions;
import org.sparkproject.io.grpc.Channel;
import org.sparkproject.io.grpc.ClientCall;
import org.sparkproject.io.grpc.ClientInterceptor;
import org.sparkproject.io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import org.sparkproject.io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import org.sparkproject.io.grpc.Metadata;
import org.sparkproject.io.grpc.MethodDescriptor;
import org.sparkproject.io.grpc.Status;

/**
 * Records RPCs from outside everything that is measured ({@link #outermost()}) and from right above
 * the channel ({@link #innermost()}): what lies between the two is what a token costs a call.
 */
final class RpcLog {
  private static final CallOptions.Key<Entry> ENTRY = CallOptions.Key.create("quickstart.rpc");

  private final InstantSource clock;
  private final ToLongFunction<Metadata> generationOf;
  private final Collection<Entry> entries = new ConcurrentLinkedQueue<>();
  private final Object quiet = new Object();
  private int open;

  /**
   * A log.
   *
   * @param clock the clock that the token source uses too
   * @param generationOf the number of the token in the headers that credentials give; 0 leaves what
   *     {@link #carries} noted
   */
  RpcLog(InstantSource clock, ToLongFunction<Metadata> generationOf) {
    this.clock = clock;
    this.generationOf = generationOf;
  }

  /**
   * One RPC. Written by one thread at a time and read when the run is over; volatile, because a
   * call may go on on another thread than the one that started it.
   */
  static final class Entry {
    private final String method;
    private final Instant startedAt;
    private final long startNanos = System.nanoTime();
    private volatile long wireNanos;
    private volatile @Nullable Instant sentAt;
    private volatile long generation;
    private volatile long closeNanos;

    Entry(String method, Instant startedAt) {
      this.method = method;
      this.startedAt = startedAt;
    }

    String method() {
      return method;
    }

    /** When the application started it. */
    Instant startedAt() {
      return startedAt;
    }

    long startNanos() {
      return startNanos;
    }

    /** Whether it got as far as the channel with its headers complete. */
    boolean sent() {
      return sentAt != null;
    }

    /** When its headers were complete; null if it never got there. */
    @Nullable Instant sentAt() {
      return sentAt;
    }

    /** The number of the token it carries, 0 if unknown. */
    long generation() {
      return generation;
    }

    long wireNanos() {
      return wireNanos;
    }

    long closeNanos() {
      return closeNanos;
    }

    void markSent(Instant now, long generation) {
      if (generation != 0) {
        this.generation = generation;
      }
      this.wireNanos = System.nanoTime();
      this.sentAt = now;
    }
  }

  /** Notes that the call with these options carries the token with this number. */
  static void carries(CallOptions options, long generation) {
    Entry entry = options.getOption(ENTRY);
    if (entry != null) {
      entry.generation = generation;
    }
  }

  /** To be attached outside everything else. */
  ClientInterceptor outermost() {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        String name = method.getFullMethodName();
        Entry entry = new Entry(name.substring(name.indexOf('/') + 1), clock.instant());
        return new SimpleForwardingClientCall<>(
            next.newCall(method, options.withOption(ENTRY, entry))) {
          @Override
          public void start(Listener<R> listener, Metadata headers) {
            opened(1);
            super.start(
                new SimpleForwardingClientCallListener<>(listener) {
                  @Override
                  public void onClose(Status status, Metadata trailers) {
                    entry.closeNanos = System.nanoTime();
                    super.onClose(status, trailers);
                    opened(-1);
                  }
                },
                headers);
          }
        };
      }
    };
  }

  /** To be attached right above the channel. */
  ClientInterceptor innermost() {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        Entry entry = options.getOption(ENTRY);
        if (entry == null) {
          return next.newCall(method, options);
        }
        entries.add(entry);
        CallCredentials credentials = options.getCredentials();
        if (credentials != null) {
          return next.newCall(method, options.withCallCredentials(new Watched(credentials, entry)));
        }
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
          @Override
          public void start(Listener<R> listener, Metadata headers) {
            entry.markSent(clock.instant(), 0);
            super.start(listener, headers);
          }
        };
      }
    };
  }

  private void opened(int change) {
    synchronized (quiet) {
      open += change;
      quiet.notifyAll();
    }
  }

  /**
   * Waits until no RPC is open: the client releases results in the background, and a session that
   * is closed meanwhile makes it try again for minutes.
   *
   * @param atMost how long
   */
  void awaitQuiet(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    synchronized (quiet) {
      for (long left = atMost.toMillis(); open > 0 && left > 0; ) {
        quiet.wait(left);
        left = (end - System.nanoTime()) / 1_000_000;
      }
    }
  }

  /** Everything recorded so far, in the order of the starts. */
  List<Entry> entries() {
    return entries.stream().sorted((a, b) -> Long.compare(a.startNanos, b.startNanos)).toList();
  }

  /** RPCs by method. */
  Map<String, Long> byMethod() {
    Map<String, Long> counts = new TreeMap<>();
    for (Entry entry : entries) {
      counts.merge(entry.method(), 1L, Long::sum);
    }
    return counts;
  }

  /** Passes everything on and notes whether and when the headers came. */
  private final class Watched extends CallCredentials {
    private final CallCredentials credentials;
    private final Entry entry;

    Watched(CallCredentials credentials, Entry entry) {
      this.credentials = credentials;
      this.entry = entry;
    }

    @Override
    public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
      credentials.applyRequestMetadata(
          info,
          executor,
          new MetadataApplier() {
            @Override
            public void apply(Metadata headers) {
              entry.markSent(clock.instant(), generationOf.applyAsLong(headers));
              applier.apply(headers);
            }

            @Override
            public void fail(Status status) {
              applier.fail(status);
            }
          });
    }
  }
}
