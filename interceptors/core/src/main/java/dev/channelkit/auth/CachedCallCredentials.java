package dev.channelkit.auth;

import com.google.auth.Credentials;
import dev.channelkit.call.CallRuntime;
import dev.channelkit.event.EventSource;
import dev.channelkit.event.StackEventListener;
import dev.channelkit.event.StackEvents;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.Status;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Call credentials that keep their token.
 *
 * <p>A token is <em>fresh</em> until {@link Builder#refreshBefore} its expiry: calls carry it with
 * no wait and no lock. Then it is <em>stale</em>: calls still carry it at once, while one fetch
 * runs in the background. From {@link Builder#unusableBefore} its expiry on, and before the first
 * token, calls wait for the one fetch that runs, each within its own deadline.
 *
 * <p><b>Threading.</b> Thread-safe; one object serves any number of channels, and should, because
 * each has a token of its own. Sources run on the {@link Builder#executor executor}, never on a
 * transport or caller thread, one at a time, in {@code Context.ROOT}.
 *
 * <p><b>Failure.</b> A failed fetch is told once to the calls that waited for it: {@code
 * UNAVAILABLE}, or {@code UNAUTHENTICATED} when asking again is useless. The next call after a
 * single failure fetches again at once; from the second failure in a row on, calls fail at once
 * with the last cause until a delay of 1 s, doubling up to 60 s and shortened by up to half at
 * random, has passed. While fetches fail, a token there is serves until its real expiry.
 *
 * <p><b>Cancellation.</b> A call that is cancelled while it waits ends; the fetch goes on for the
 * others.
 *
 * <p><b>Retries.</b> gRPC applies credentials to each attempt, so every retry carries the token of
 * its moment. When the server answers {@code UNAUTHENTICATED}, {@link #interceptor()} drops exactly
 * the token that the call carried, at most once a minute, and a new one is fetched; the call is
 * sent again only if {@link Builder#retryOnceOnUnauthenticated} says so.
 *
 * <p><b>Secrets.</b> A token is sent over encrypted connections only, see {@link
 * Builder#allowPlaintextToLoopback}, and shows in no log, exception text, event or {@code
 * toString}.
 *
 * @since 0.1
 */
public final class CachedCallCredentials extends CallCredentials implements EventSource {
  /**
   * Switches {@link #interceptor()} off for a call: {@code options.withOption(ENABLED, false)}
   * passes the call on as it is, without a token. Default true.
   */
  public static final CallOptions.Key<Boolean> ENABLED =
      CallOptions.Key.createWithDefault("channelkit.credentials.enabled", true);

  private final TokenCache cache;
  private final Settings settings;
  private final StackEvents events;
  private final ClientInterceptor interceptor;

  private CachedCallCredentials(Fetcher fetcher, Settings settings, StackEvents events) {
    this.settings = settings;
    this.events = events;
    this.cache = new TokenCache(fetcher, settings, events);
    this.interceptor =
        new CredentialsInterceptor(this, cache, settings.retryOnce(), CallRuntime.shared());
  }

  /**
   * Credentials over those of google-auth. For the OAuth 2 ones the expiry is that of their access
   * token; of others it is not known, and {@link Builder#lifetime} counts. Their further headers
   * are sent too, {@code x-goog-user-project} at most once.
   *
   * @param credentials where tokens come from; null fails at {@code build()}
   * @return a builder; never null
   */
  public static Builder builder(Credentials credentials) {
    return new Builder(credentials, null);
  }

  /**
   * Credentials over any source of tokens.
   *
   * @param source where tokens come from; null fails at {@code build()}
   * @return a builder; never null
   */
  public static Builder builder(TokenSource source) {
    return new Builder(null, source);
  }

  /**
   * Sends the token with a call of gRPC. Returns at once; a call that must wait for a token is
   * completed later, on {@code appExecutor}.
   */
  @Override
  public void applyRequestMetadata(
      RequestInfo info, Executor appExecutor, MetadataApplier applier) {
    apply(info, appExecutor, applier, null);
  }

  void apply(
      RequestInfo info,
      Executor appExecutor,
      MetadataApplier applier,
      @Nullable CallRecord record) {
    if (!TransportSecurity.isPrivate(info)
        && !(settings.plaintextToLoopback() && TransportSecurity.isLoopback(info))) {
      if (record != null) {
        // An earlier attempt may have carried a token; what ends the call is not said of that one.
        record.generation = 0;
      }
      applier.fail(TransportSecurity.refusal(info, settings.plaintextToLoopback()));
      return;
    }
    IssuedToken token = cache.atOnce();
    if (token == null) {
      new PendingCall(cache, applier, appExecutor, record)
          .await(info.getCallOptions().getDeadline(), settings.scheduler());
      return;
    }
    if (record != null) {
      record.generation = token.generation;
    }
    applier.apply(headersFor(token, record));
  }

  static Metadata headersFor(IssuedToken token, @Nullable CallRecord record) {
    return record != null && record.namesProject ? token.headersWithoutProject : token.headers;
  }

  /**
   * Puts these credentials on every call that has none of its own, replaces an {@code
   * authorization} header that the request already has, and sees what a {@code CallCredentials}
   * alone never sees: that the server refuses a token. Needs no {@code withCallCredentials} on the
   * stub. A stub's own call credentials are kept, and these are then not added.
   *
   * @return always the same interceptor; never null
   */
  public ClientInterceptor interceptor() {
    return interceptor;
  }

  /**
   * The current token, for what is not a gRPC call. A fresh or stale one is there at once; else it
   * comes when the fetch that runs ends, within the fetch timeout.
   *
   * @return completes with the token, or exceptionally with a {@code StatusRuntimeException} whose
   *     status is the one that a call would have got. Dependents may run on the thread that fetched
   *     or on the scheduler's: use the {@code Async} methods for more than a few instructions.
   *     Never null
   */
  public CompletionStage<Token> token() {
    CompletableFuture<Token> result = new CompletableFuture<>();
    cache.obtain(new TokenWaiter(result));
    // So that nobody completes it but the cache.
    return result.minimalCompletionStage();
  }

  @Override
  public Registration addEventListener(StackEventListener listener) {
    return events.addEventListener(listener);
  }

  /** Whether a cache should rather make new credentials than hand these out again. */
  boolean isBroken() {
    return cache.isBroken();
  }

  /** Tells the state, never the token. */
  @Override
  public String toString() {
    return "CachedCallCredentials{" + cache + "}";
  }

  private record TokenWaiter(CompletableFuture<Token> result) implements Flight.Waiter {
    @Override
    public void ready(IssuedToken token) {
      result.complete(token.token);
    }

    @Override
    public void failed(Status status) {
      result.completeExceptionally(status.asRuntimeException());
    }
  }

  /**
   * Builds credentials. Options are checked in {@link #build()}, whose exceptions name the option
   * and its range. Not thread-safe.
   */
  public static final class Builder {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration DEFAULT_REFRESH = Duration.ofMinutes(5);
    private static final Duration DEFAULT_UNUSABLE = Duration.ofSeconds(30);

    private final @Nullable Credentials credentials;
    private final @Nullable TokenSource source;
    private final List<@Nullable StackEventListener> listeners = new ArrayList<>();
    private @Nullable URI audience;
    private @Nullable Duration fetchTimeout = Duration.ofSeconds(30);
    private @Nullable Duration refreshBefore = DEFAULT_REFRESH;
    private @Nullable Duration unusableBefore = DEFAULT_UNUSABLE;
    private boolean refreshGiven;
    private boolean unusableGiven;
    private @Nullable Duration lifetime = Duration.ofSeconds(60);
    private boolean retryOnce;
    private boolean plaintextToLoopback;
    private boolean executorGiven;
    private @Nullable Executor executor;
    private boolean schedulerGiven;
    private @Nullable ScheduledExecutorService scheduler;
    private @Nullable InstantSource clock = InstantSource.system();
    private @Nullable RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

    private Builder(@Nullable Credentials credentials, @Nullable TokenSource source) {
      this.credentials = credentials;
      this.source = source;
    }

    /**
     * How long a fetch may take before it is given up, waiting in a queue included. Calls without a
     * deadline wait so long at most.
     *
     * @param fetchTimeout from 1 ms to 1 h, 30 s by default; null fails at {@code build()}
     * @return this builder
     */
    public Builder fetchTimeout(Duration fetchTimeout) {
      this.fetchTimeout = fetchTimeout;
      return this;
    }

    /**
     * How long before its expiry a token is stale. At most half of the token's lifetime, as it
     * stood when it was fetched, is used: a token of one minute is fresh for 30 s at least.
     *
     * @param refreshBefore from 1 ms to 1 day, 5 min by default; not below {@link #unusableBefore};
     *     null fails at {@code build()}
     * @return this builder
     */
    public Builder refreshBefore(Duration refreshBefore) {
      this.refreshBefore = refreshBefore;
      this.refreshGiven = true;
      return this;
    }

    /**
     * How long before its expiry a token is not sent any more, unless fetches fail. At most a tenth
     * of the token's lifetime, as it stood when it was fetched, is used.
     *
     * @param unusableBefore from 1 ms to 1 day, 30 s by default, or {@link #refreshBefore} if that
     *     is shorter; null fails at {@code build()}
     * @return this builder
     */
    public Builder unusableBefore(Duration unusableBefore) {
      this.unusableBefore = unusableBefore;
      this.unusableGiven = true;
      return this;
    }

    /**
     * How long a token counts as good whose source does not tell when it ends.
     *
     * @param lifetime from 1 ms to 365 days, 60 s by default; null fails at {@code build()}
     * @return this builder
     */
    public Builder lifetime(Duration lifetime) {
      this.lifetime = lifetime;
      return this;
    }

    /**
     * Whether a unary call that the server refuses with {@code UNAUTHENTICATED} is sent once more
     * with a new token: only if {@link CachedCallCredentials#interceptor()} is in use, there is
     * another token to send, nothing of the answer has reached the application, the server does not
     * push back, and the deadline, which stays the same, has not passed. A second refusal is
     * returned as it is. Streaming calls are never sent again. Off by default, because a server may
     * refuse a call that it has already carried out.
     *
     * @param retryOnce true to send it once more
     * @return this builder
     */
    public Builder retryOnceOnUnauthenticated(boolean retryOnce) {
      this.retryOnce = retryOnce;
      return this;
    }

    /**
     * Whether the token may be sent over a connection without encryption if the transport says that
     * its remote end is a loopback address. Off by default: every call over such a connection fails
     * with {@code UNAUTHENTICATED}. To a remote address it always does.
     *
     * @param allow true to allow it
     * @return this builder
     */
    public Builder allowPlaintextToLoopback(boolean allow) {
      this.plaintextToLoopback = allow;
      return this;
    }

    /**
     * What the token is for, where credentials of google-auth ask: those that sign their own
     * tokens. One audience per object: the token is shared by all calls.
     *
     * @param audience the URI handed to the credentials; none by default; null for none
     * @return this builder
     */
    public Builder audience(@Nullable URI audience) {
      this.audience = audience;
      return this;
    }

    /**
     * Where sources run, and may block.
     *
     * @param executor a shared pool of daemon threads by default; never shut down; null fails at
     *     {@code build()}
     * @return this builder
     */
    public Builder executor(Executor executor) {
      this.executor = executor;
      this.executorGiven = true;
      return this;
    }

    /**
     * What ends fetches and waits in time.
     *
     * @param scheduler a shared daemon thread by default; never shut down; null fails at {@code
     *     build()}
     * @return this builder
     */
    public Builder scheduler(ScheduledExecutorService scheduler) {
      this.scheduler = scheduler;
      this.schedulerGiven = true;
      return this;
    }

    /**
     * The clock that expiry is judged by.
     *
     * @param clock the system's by default; null fails at {@code build()}
     * @return this builder
     */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * What spreads the delays after failures.
     *
     * @param random thread-safe; the thread-local generator by default; null fails at {@code
     *     build()}
     * @return this builder
     */
    public Builder random(RandomGenerator random) {
      this.random = random;
      return this;
    }

    /**
     * Adds a listener of events. {@link CachedCallCredentials#addEventListener} does the same
     * later.
     *
     * @param listener told of fetches and refusals; null fails at {@code build()}
     * @return this builder
     */
    public Builder eventListener(StackEventListener listener) {
      listeners.add(listener);
      return this;
    }

    /**
     * Builds the credentials. Starts nothing: the first call fetches the first token.
     *
     * @return new credentials; never null
     * @throws NullPointerException if an option is null; the text names it
     * @throws IllegalArgumentException if an option is out of its range; the text names both
     */
    public CachedCallCredentials build() {
      Duration refresh = Options.within("refreshBefore", refreshBefore, DAY);
      Duration unusable = Options.within("unusableBefore", unusableBefore, DAY);
      if (refresh.compareTo(unusable) < 0) {
        if (refreshGiven && unusableGiven) {
          throw new IllegalArgumentException(
              "unusableBefore must not be longer than refreshBefore, was "
                  + unusable
                  + " and "
                  + refresh);
        }
        // Only one of the two was chosen; the other follows it.
        refresh = unusableGiven ? unusable : refresh;
        unusable = refresh;
      }
      Settings checked =
          new Settings(
              Options.within("fetchTimeout", fetchTimeout, HOUR),
              refresh,
              unusable,
              Options.within("lifetime", lifetime, YEAR),
              retryOnce,
              plaintextToLoopback,
              executorGiven
                  ? Options.present("executor", executor)
                  : CallRuntime.shared().executor(),
              schedulerGiven
                  ? Options.present("scheduler", scheduler)
                  : CallRuntime.shared().scheduler(),
              Options.present("clock", clock),
              Options.present("random", random));
      StackEvents events = new StackEvents();
      for (StackEventListener listener : listeners) {
        events.addEventListener(Options.present("eventListener", listener));
      }
      return new CachedCallCredentials(fetcher(), checked, events);
    }

    private Fetcher fetcher() {
      if (source != null) {
        return Fetcher.of(source);
      }
      if (credentials == null) {
        throw new NullPointerException("credentials or token source must not be null");
      }
      return GoogleFetcher.of(credentials, audience);
    }
  }
}
