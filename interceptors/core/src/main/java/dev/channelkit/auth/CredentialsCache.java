package dev.channelkit.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Credentials for reuse, so that every channel of a process shares one token.
 *
 * <p>{@link #shared()} is one per class loader and flavour: the relocated classes for the official
 * Spark client have a cache of their own. It holds at most 100 entries, those used lately.
 *
 * <p>Never pins what is broken: a load that fails is not kept, and credentials whose source has
 * said that asking again is useless, with no token left, are loaded anew at the next {@link #get}.
 *
 * <p>Thread-safe.
 *
 * @since 0.1
 */
public final class CredentialsCache {
  private static final int MAX_ENTRIES = 100;
  private static final CredentialsCache SHARED = new CredentialsCache();

  private final Cache<Key, Loading> entries =
      // On the calling thread: housekeeping of 100 entries is nothing, and no pool is started.
      Caffeine.newBuilder().maximumSize(MAX_ENTRIES).executor(Runnable::run).build();

  /** An empty cache of its own. */
  public CredentialsCache() {}

  /**
   * The cache of this class loader.
   *
   * @return always the same; never null
   */
  public static CredentialsCache shared() {
    return SHARED;
  }

  /**
   * The credentials for a key. The first caller loads them on its own thread; others that ask for
   * the same key meanwhile wait for it and share its outcome, a failure included. Other keys are
   * not held up.
   *
   * @param key what the credentials depend on; not null
   * @param loader makes them; may block; must not ask this cache for the same key; not null
   * @return the credentials; never null
   * @throws IllegalStateException if the loader asks for its own key or returns null; or if it
   *     throws a checked exception, which is then the cause
   * @throws RuntimeException what the loader throws, as it is; an {@code Error} likewise
   */
  public CachedCallCredentials get(Key key, Callable<CachedCallCredentials> loader) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(loader, "loader");
    while (true) {
      Loading mine = new Loading();
      Loading there = entries.asMap().putIfAbsent(key, mine);
      if (there == null) {
        return load(key, mine, loader);
      }
      CachedCallCredentials found = there.await(key);
      if (!found.isBroken()) {
        return found;
      }
      // Only this very entry: somebody may have put a good one there meanwhile.
      entries.asMap().remove(key, there);
    }
  }

  /** Forgets everything. A load that runs still gives its result to those who wait for it. */
  public void clear() {
    entries.invalidateAll();
  }

  private CachedCallCredentials load(
      Key key, Loading mine, Callable<CachedCallCredentials> loader) {
    try {
      CachedCallCredentials loaded = loader.call();
      if (loaded == null) {
        throw new IllegalStateException("The loader returned null for " + key);
      }
      mine.end(loaded, null);
      return loaded;
    } catch (Throwable thrown) {
      // Before those who wait are told: what they ask next must load again.
      entries.asMap().remove(key, mine);
      mine.end(null, thrown);
      throw asUnchecked(key, thrown);
    }
  }

  private static RuntimeException asUnchecked(Key key, Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return thrown instanceof RuntimeException unchecked
        ? unchecked
        : new IllegalStateException("Loading credentials failed for " + key, thrown);
  }

  /** Compared by identity, as futures are. */
  private static final class Loading extends CompletableFuture<CachedCallCredentials> {
    /** Null once loaded: an entry must not keep a thread, and what it holds, for good. */
    private volatile @Nullable Thread loader = Thread.currentThread();

    void end(@Nullable CachedCallCredentials loaded, @Nullable Throwable failure) {
      loader = null;
      if (failure == null) {
        complete(loaded);
      } else {
        completeExceptionally(failure);
      }
    }

    CachedCallCredentials await(Key key) {
      if (loader == Thread.currentThread()) {
        throw new IllegalStateException("The loader asked for its own key: " + key);
      }
      try {
        return join();
      } catch (CompletionException e) {
        throw asUnchecked(key, Objects.requireNonNullElse(e.getCause(), e));
      }
    }
  }

  /**
   * What default credentials depend on: the scopes asked for, and the part of the environment that
   * decides who one is.
   *
   * @since 0.1
   */
  public static final class Key {
    private static final String[] VARIABLES = {
      "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "HOME"
    };

    private final SortedSet<String> scopes;
    private final Environment environment;

    private Key(Collection<String> scopes, Environment environment) {
      this.scopes = new TreeSet<>(scopes);
      this.environment = environment;
    }

    /**
     * Scopes in the environment of this process as it is now.
     *
     * @param scopes in any order, repetitions do not count; may be empty; copied; no nulls
     * @return the key; never null
     */
    public static Key of(Collection<String> scopes) {
      return of(scopes, System.getenv());
    }

    /**
     * Scopes in a given environment. Of it, {@code GOOGLE_APPLICATION_CREDENTIALS}, {@code
     * GOOGLE_CLOUD_PROJECT} and {@code HOME} count.
     *
     * @param scopes in any order, repetitions do not count; may be empty; copied; no nulls
     * @param environment variables by name; a missing one is not the same as an empty one; not null
     * @return the key; never null
     */
    public static Key of(Collection<String> scopes, Map<String, String> environment) {
      return new Key(
          scopes,
          new Environment(
              environment.get(VARIABLES[0]),
              environment.get(VARIABLES[1]),
              environment.get(VARIABLES[2])));
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key
          && scopes.equals(key.scopes)
          && environment.equals(key.environment);
    }

    @Override
    public int hashCode() {
      return 31 * scopes.hashCode() + environment.hashCode();
    }

    @Override
    public String toString() {
      return "scopes " + scopes + " in " + environment;
    }
  }

  private record Environment(
      @Nullable String credentialsFile, @Nullable String project, @Nullable String home) {}
}
