package dev.channelkit.auth;

import dev.channelkit.event.StackEventListener;
import dev.channelkit.event.StackEventListener.TokenRejected;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Cached credentials as one writes them on a first afternoon, with one fault at a time. They are
 * what shows that a scenario can fail; without a fault they pass every scenario.
 */
final class NaiveCredentials extends CallCredentials implements ClientInterceptor {
  private static final CachedCallCredentials UNUSED =
      CachedCallCredentials.builder(() -> Token.withoutExpiry("unused")).build();

  enum Fault {
    NONE,
    /** Every caller without a token fetches its own. */
    FETCH_PER_CALLER,
    /** A failed fetch stays in the slot, and its failure is everybody's answer from then on. */
    SLOT_KEPT_AFTER_FAILURE,
    /** An Error of the source ends the fetching thread and nobody is told. */
    ERROR_LEAVES_WAITERS,
    /** Every refusal fetches, whoever has fetched since. */
    FETCH_PER_REFUSAL,
    /** A refusal drops whatever is cached, not what was refused. */
    DROPS_ANY_GENERATION,
    /** Refusals drop the token as often as they come. */
    DROPS_WITHOUT_LIMIT,
    /** The fetch runs in the Context of the call that came first. */
    FETCHES_IN_CALLERS_CONTEXT,
    /** What a listener of events throws goes into the call. */
    LISTENER_NOT_SHIELDED,
    /** The call below is made at the start, and a cancel before finds null. */
    CANCEL_BEFORE_CALL_EXISTS,
    /** The refusal is passed on without its trailers. */
    TRAILERS_LOST
  }

  private static final CallOptions.Key<long[]> USED = CallOptions.Key.create("naive");

  private record Cached(long generation, String value, Instant expiry) {}

  private final Fault fault;
  private final TokenSource source;
  private final InstantSource clock;
  private final Executor executor;
  private final StackEventListener listener;
  private long generation;
  private Instant droppedAt = Instant.MIN;
  private Cached cached;
  private CompletableFuture<Cached> slot;

  NaiveCredentials(
      Fault fault,
      TokenSource source,
      InstantSource clock,
      Executor executor,
      StackEventListener listener) {
    this.fault = fault;
    this.source = source;
    this.clock = clock;
    this.executor = executor;
    this.listener = listener;
  }

  static Subject.Factory with(Fault fault) {
    return (source, clock, executor, listener) -> {
      NaiveCredentials naive = new NaiveCredentials(fault, source, clock, executor, listener);
      return new Subject(naive, naive);
    };
  }

  @Override
  public void applyRequestMetadata(RequestInfo info, Executor appExecutor, MetadataApplier to) {
    long[] used = info.getCallOptions().getOption(USED);
    CompletableFuture<Cached> token;
    boolean mine = false;
    synchronized (this) {
      boolean good = cached != null && clock.instant().isBefore(cached.expiry);
      boolean near = good && clock.instant().plusSeconds(300).isAfter(cached.expiry);
      token = good ? CompletableFuture.completedFuture(cached) : slot;
      if (!good && (slot == null || fault == Fault.FETCH_PER_CALLER)) {
        mine = true;
        slot = new CompletableFuture<>();
        token = slot;
      } else if (near && slot == null) {
        mine = true;
        slot = new CompletableFuture<>();
      }
    }
    CompletableFuture<Cached> fetching = mine ? slot : null;
    CompletableFuture<Cached> unused =
        token.whenComplete(
            (value, thrown) -> {
              if (value == null) {
                to.fail(Status.UNAVAILABLE.withCause(thrown));
                return;
              }
              if (used != null) {
                used[0] = value.generation;
              }
              Metadata headers = new Metadata();
              headers.put(IssuedToken.AUTHORIZATION, "Bearer " + value.value);
              to.apply(headers);
            });
    if (fetching != null) {
      Runnable task = () -> fetch(fetching);
      Context context =
          fault == Fault.FETCHES_IN_CALLERS_CONTEXT ? Context.current() : Context.ROOT;
      executor.execute(context.wrap(task));
    }
  }

  private void fetch(CompletableFuture<Cached> target) {
    Throwable failure = null;
    try {
      Token token = source.fetch();
      synchronized (this) {
        generation++;
        cached = new Cached(generation, token.value(), token.expiresAt().orElseThrow());
        slot = null;
      }
      target.complete(cached);
    } catch (Throwable thrown) {
      failure = thrown;
    }
    if (failure instanceof Error && fault == Fault.ERROR_LEAVES_WAITERS) {
      return;
    }
    if (failure != null) {
      synchronized (this) {
        if (fault != Fault.SLOT_KEPT_AFTER_FAILURE && slot == target) {
          slot = null;
        }
      }
      target.completeExceptionally(failure);
    }
  }

  private void refused(long used) {
    if (fault == Fault.FETCH_PER_REFUSAL) {
      fetch(new CompletableFuture<>());
    }
    synchronized (this) {
      boolean same = cached != null && (cached.generation == used || drops());
      boolean allowed =
          fault == Fault.DROPS_WITHOUT_LIMIT
              || fault == Fault.DROPS_ANY_GENERATION
              || droppedAt.equals(Instant.MIN)
              || Duration.between(droppedAt, clock.instant()).toMinutes() >= 1;
      if (!same || !allowed) {
        return;
      }
      cached = null;
      droppedAt = clock.instant();
    }
    try {
      listener.onTokenRejected(new TokenRejected(used));
    } catch (RuntimeException | Error thrown) {
      if (fault == Fault.LISTENER_NOT_SHIELDED) {
        throw thrown;
      }
    }
  }

  private boolean drops() {
    return fault == Fault.DROPS_ANY_GENERATION;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    long[] used = {0};
    CallOptions with = options.withCallCredentials(this).withOption(USED, used);
    if (fault == Fault.CANCEL_BEFORE_CALL_EXISTS) {
      return new LateCall<>(() -> next.newCall(method, with));
    }
    // Ours is gated too: that part is not what these variants are about.
    return new GatedCall<>(
        new SimpleForwardingClientCall<>(next.newCall(method, with)) {
          @Override
          public void start(Listener<R> downstream, Metadata headers) {
            super.start(new Refusals<>(downstream, used), headers);
          }
        },
        new CallRecord(UNUSED),
        options,
        dev.channelkit.call.CallRuntime.shared());
  }

  private final class Refusals<R> extends SimpleForwardingClientCallListener<R> {
    private final long[] used;

    Refusals(ClientCall.Listener<R> delegate, long[] used) {
      super(delegate);
      this.used = used;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.getCode() == Status.Code.UNAUTHENTICATED) {
        refused(used[0]);
      }
      super.onClose(status, fault == Fault.TRAILERS_LOST ? new Metadata() : trailers);
    }
  }

  /** Makes its delegate at the start. */
  private static final class LateCall<Q, R> extends io.grpc.ForwardingClientCall<Q, R> {
    private final java.util.function.Supplier<ClientCall<Q, R>> maker;
    private volatile ClientCall<Q, R> delegate;

    LateCall(java.util.function.Supplier<ClientCall<Q, R>> maker) {
      this.maker = maker;
    }

    @Override
    protected ClientCall<Q, R> delegate() {
      return delegate;
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      delegate = maker.get();
      super.start(listener, headers);
    }
  }
}
