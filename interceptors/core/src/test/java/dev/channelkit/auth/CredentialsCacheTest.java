package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** One set of credentials per scopes and environment, and never a broken one for good. */
class CredentialsCacheTest {
  private static final Map<String, String> ALICE = Map.of("HOME", "/home/alice");

  private final Lab lab = new Lab();
  private final CredentialsCache cache = new CredentialsCache();
  private final CredentialsCache.Key key = CredentialsCache.Key.of(List.of("read"), ALICE);
  private final AtomicInteger loads = new AtomicInteger();

  private CachedCallCredentials load() {
    loads.incrementAndGet();
    return lab.builder().executor(Runnable::run).build();
  }

  @Test
  void theSameKeyGivesTheSameCredentials() {
    CachedCallCredentials first = cache.get(key, this::load);

    assertThat(cache.get(CredentialsCache.Key.of(List.of("read"), ALICE), this::load))
        .isSameAs(first);
    assertThat(loads).hasValue(1);
  }

  @Test
  void orderAndRepetitionOfScopesDoNotCount() {
    assertThat(CredentialsCache.Key.of(List.of("b", "a", "b"), ALICE))
        .isEqualTo(CredentialsCache.Key.of(List.of("a", "b"), ALICE))
        .hasSameHashCodeAs(CredentialsCache.Key.of(List.of("a", "b"), ALICE));
  }

  @Test
  void eachPartOfTheAuthEnvironmentCountsAndNothingElse() {
    List<CredentialsCache.Key> keys = new ArrayList<>();
    keys.add(key);
    keys.add(CredentialsCache.Key.of(List.of(), ALICE));
    for (String name : List.of("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "HOME")) {
      Map<String, String> changed = new HashMap<>(ALICE);
      changed.put(name, "other");
      keys.add(CredentialsCache.Key.of(List.of("read"), changed));
      changed.put(name, "");
      keys.add(CredentialsCache.Key.of(List.of("read"), changed));
    }
    assertThat(keys).doesNotHaveDuplicates();
    Map<String, String> more = new HashMap<>(ALICE);
    more.put("PATH", "/bin");
    assertThat(CredentialsCache.Key.of(List.of("read"), more)).isEqualTo(key);
    assertThat(CredentialsCache.Key.of(List.of("read")))
        .isEqualTo(CredentialsCache.Key.of(List.of("read"), System.getenv()));
  }

  @Test
  void aFailedLoadIsNotKept() {
    assertThatThrownBy(
            () ->
                cache.get(
                    key,
                    () -> {
                      throw new IOException("no file");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("read")
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() -> cache.get(key, () -> null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("null");
    assertThatThrownBy(
            () ->
                cache.get(
                    key,
                    () -> {
                      throw new NoSuchMethodError("x");
                    }))
        .isInstanceOf(NoSuchMethodError.class);

    assertThat(cache.get(key, this::load)).isNotNull();
  }

  @Test
  void credentialsThatBrokeForGoodAreLoadedAnew() {
    CachedCallCredentials first = cache.get(key, this::load);
    lab.source.next(
        () -> {
          throw new PermanentTokenException("invalid_grant");
        });
    FakeCall.create().applyTo(first).status();

    CachedCallCredentials second = cache.get(key, this::load);

    assertThat(second).isNotSameAs(first);
    assertThat(cache.get(key, this::load)).isSameAs(second);
  }

  @Test
  void aTransientFailureOrAGoodTokenIsNoReasonToLoadAnew() {
    CachedCallCredentials first = cache.get(key, this::load);
    lab.source.next(
        () -> {
          throw new IOException("down");
        });
    FakeCall.create().applyTo(first).status();
    assertThat(cache.get(key, this::load)).isSameAs(first);

    FakeCall.create().applyTo(first).token();
    lab.pass(3300);
    lab.source.next(
        () -> {
          throw new PermanentTokenException("invalid_grant");
        });
    FakeCall.create().applyTo(first).token();
    assertThat(cache.get(key, this::load)).isSameAs(first);
  }

  @Test
  void clearForgets() {
    CachedCallCredentials first = cache.get(key, this::load);
    cache.clear();

    assertThat(cache.get(key, this::load)).isNotSameAs(first);
  }

  @Test
  void concurrentCallersShareOneLoadAndOtherKeysGoOn() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(20);
    try {
      CountDownLatch loading = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      List<Future<CachedCallCredentials>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        all.add(
            threads.submit(
                () ->
                    cache.get(
                        key,
                        () -> {
                          loading.countDown();
                          release.await();
                          return load();
                        })));
      }
      assertThat(loading.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(cache.get(CredentialsCache.Key.of(List.of("write"), ALICE), this::load))
          .isNotNull();
      release.countDown();
      CachedCallCredentials one = all.get(0).get(10, TimeUnit.SECONDS);
      for (Future<CachedCallCredentials> each : all) {
        assertThat(each.get(10, TimeUnit.SECONDS)).isSameAs(one);
      }
      assertThat(loads).hasValue(2);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aLoaderThatAsksForItsOwnKeyIsToldSo() {
    assertThatThrownBy(() -> cache.get(key, () -> cache.get(key, this::load)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its own key");
    assertThat(cache.get(key, this::load)).isNotNull();
  }

  @Test
  void anEntryDoesNotKeepTheThreadThatLoadedIt() throws Exception {
    WeakReference<Thread> loader = loadOnAThreadOfItsOwn();

    Awaitility.await()
        .until(
            () -> {
              System.gc();
              return loader.get() == null;
            });
    cache.get(key, this::load);
    assertThat(loads).hasValue(1);
  }

  private WeakReference<Thread> loadOnAThreadOfItsOwn() throws Exception {
    Thread thread = new Thread(() -> cache.get(key, this::load));
    thread.start();
    thread.join();
    return new WeakReference<>(thread);
  }

  @Test
  void nullsAreRefused() {
    assertThatThrownBy(() -> cache.get(null, this::load)).hasMessageContaining("key");
    assertThatThrownBy(() -> cache.get(key, null)).hasMessageContaining("loader");
  }

  @Test
  void theNumberOfEntriesIsBounded() {
    CachedCallCredentials first = cache.get(key, this::load);
    for (int i = 0; i < 1000; i++) {
      cache.get(CredentialsCache.Key.of(List.of("scope-" + i), ALICE), this::load);
    }
    int before = loads.get();
    for (int i = 0; i < 1000; i++) {
      cache.get(CredentialsCache.Key.of(List.of("scope-" + i), ALICE), this::load);
    }
    assertThat(loads.get() - before).isGreaterThanOrEqualTo(900);
    assertThat(first).isNotNull();
  }

  @Test
  void sharedIsOnePerProcess() {
    assertThat(CredentialsCache.shared()).isSameAs(CredentialsCache.shared());
  }
}
