package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.auth.Credentials;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Bad options fail at build(), naming the option and its range. */
class BuilderOptionsTest {
  private static CachedCallCredentials.Builder builder() {
    return CachedCallCredentials.builder((TokenSource) () -> Token.withoutExpiry("never-asked"));
  }

  private static final Map<String, BiConsumer<CachedCallCredentials.Builder, Duration>> DURATIONS =
      Map.of(
          "fetchTimeout", CachedCallCredentials.Builder::fetchTimeout,
          "refreshBefore", CachedCallCredentials.Builder::refreshBefore,
          "unusableBefore", CachedCallCredentials.Builder::unusableBefore,
          "lifetime", CachedCallCredentials.Builder::lifetime);

  private static final Map<String, Duration> LONGEST =
      Map.of(
          "fetchTimeout", Duration.ofHours(1),
          "refreshBefore", Duration.ofDays(1),
          "unusableBefore", Duration.ofDays(1),
          "lifetime", Duration.ofDays(365));

  @TestFactory
  @DisplayName("null, zero, negative, too short, too long, overflowing: each duration option")
  Stream<DynamicTest> durations() {
    return DURATIONS.entrySet().stream()
        .flatMap(
            option ->
                Stream.of(
                        Duration.ZERO,
                        Duration.ofSeconds(-1),
                        Duration.ofNanos(999_999),
                        LONGEST.get(option.getKey()).plusNanos(1),
                        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
                        Duration.ofSeconds(Long.MIN_VALUE))
                    .map(
                        value ->
                            DynamicTest.dynamicTest(
                                option.getKey() + " " + value,
                                () -> {
                                  CachedCallCredentials.Builder builder = builder();
                                  option.getValue().accept(builder, value);
                                  assertThatThrownBy(builder::build)
                                      .isInstanceOf(IllegalArgumentException.class)
                                      .hasMessageContaining(option.getKey())
                                      .hasMessageContaining("PT0.001S")
                                      .hasMessageContaining(LONGEST.get(option.getKey()).toString())
                                      .hasMessageContaining(value.toString());
                                })));
  }

  @TestFactory
  @DisplayName("the ends of each range are in it")
  Stream<DynamicTest> ends() {
    return DURATIONS.entrySet().stream()
        .flatMap(
            option ->
                Stream.of(Duration.ofMillis(1), LONGEST.get(option.getKey()))
                    .map(
                        value ->
                            DynamicTest.dynamicTest(
                                option.getKey() + " " + value,
                                () -> {
                                  CachedCallCredentials.Builder builder = builder();
                                  option.getValue().accept(builder, value);
                                  assertThatCode(builder::build).doesNotThrowAnyException();
                                })));
  }

  @TestFactory
  @DisplayName("null: each option that must be there")
  Stream<DynamicTest> nulls() {
    Map<String, Consumer<CachedCallCredentials.Builder>> options =
        Map.of(
            "fetchTimeout", b -> b.fetchTimeout(null),
            "refreshBefore", b -> b.refreshBefore(null),
            "unusableBefore", b -> b.unusableBefore(null),
            "lifetime", b -> b.lifetime(null),
            "executor", b -> b.executor(null),
            "scheduler", b -> b.scheduler(null),
            "clock", b -> b.clock(null),
            "random", b -> b.random(null),
            "eventListener", b -> b.eventListener(null));
    return options.entrySet().stream()
        .map(
            option ->
                DynamicTest.dynamicTest(
                    option.getKey(),
                    () -> {
                      CachedCallCredentials.Builder builder = builder();
                      option.getValue().accept(builder);
                      assertThatThrownBy(builder::build)
                          .isInstanceOf(NullPointerException.class)
                          .hasMessageContaining(option.getKey());
                    }));
  }

  @Test
  void nullSourcesFailAtBuild() {
    assertThatThrownBy(() -> CachedCallCredentials.builder((TokenSource) null).build())
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("token source");
    assertThatThrownBy(() -> CachedCallCredentials.builder((Credentials) null).build())
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("credentials");
  }

  @Test
  void marginsThatContradictEachOtherAreRefusedWithBothNames() {
    CachedCallCredentials.Builder builder =
        builder().refreshBefore(Duration.ofSeconds(1)).unusableBefore(Duration.ofSeconds(2));
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("refreshBefore")
        .hasMessageContaining("unusableBefore");
  }

  @Test
  void oneMarginAloneTakesTheOtherAlong() {
    assertThatCode(() -> builder().refreshBefore(Duration.ofSeconds(1)).build())
        .doesNotThrowAnyException();
    assertThatCode(() -> builder().unusableBefore(Duration.ofHours(1)).build())
        .doesNotThrowAnyException();
  }

  @Test
  void aTokenThatAHeaderCannotCarryIsRefusedWithoutShowingIt() {
    for (String bad : List.of("", "two words", "xyzzy\n", "plugh\t", "ümlaut", "Bearer x")) {
      assertThatThrownBy(() -> Token.of(bad, Instant.MAX))
          .isInstanceOf(IllegalArgumentException.class)
          .satisfies(
              e -> assertThat(bad.isEmpty() || !e.getMessage().contains(bad.trim())).isTrue());
    }
    assertThatThrownBy(() -> Token.of(null, Instant.MAX)).hasMessageContaining("value");
    assertThatThrownBy(() -> Token.of("x", null)).hasMessageContaining("expiresAt");
  }

  @Test
  void tokensAreValues() {
    assertThat(Token.of("x", Instant.EPOCH))
        .isEqualTo(Token.of("x", Instant.EPOCH))
        .hasSameHashCodeAs(Token.of("x", Instant.EPOCH))
        .isNotEqualTo(Token.withoutExpiry("x"));
    assertThat(Token.withoutExpiry("hidden-value")).hasToString("Token{expiresAt=unknown}");
  }
}
