package dev.channelkit.newest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchRule;
import dev.channelkit.InterceptorStack;
import dev.channelkit.spark.SparkConnect;
import dev.channelkit.testing.ManualClock;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each rule holds for what is published, and each rule catches a class that breaks it. */
class ArchitectureTest {
  private static final String OFFENDERS = "dev.channelkit.newest.offenders";

  // By place and not by package: the tests of these packages are on this class path as well.
  private static final JavaClasses PUBLISHED =
      new ClassFileImporter()
          .importLocations(
              List.of(
                  placeOf(InterceptorStack.class),
                  placeOf(SparkConnect.class),
                  placeOf(ManualClock.class),
                  placeOf(bridge())));

  private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(OFFENDERS);

  @Test
  void the_rules_see_every_published_module() {
    for (String module : List.of("", ".call", ".event", ".spark", ".testing", ".bridge")) {
      assertThat(PUBLISHED.stream().map(type -> type.getPackageName()))
          .contains("dev.channelkit" + module);
    }
    assertThat(PUBLISHED.stream().map(type -> type.getSimpleName()))
        .noneMatch(name -> name.endsWith("Test"));
  }

  @TestFactory
  Stream<DynamicTest> every_rule_holds_and_catches_its_offenders() {
    return cases().stream()
        .flatMap(
            entry -> {
              ArchRule published = entry.rule.on(new ArchitectureRules("dev.channelkit"));
              ArchRule broken = entry.rule.on(new ArchitectureRules(OFFENDERS));
              return Stream.of(
                  DynamicTest.dynamicTest("holds: " + entry.name, () -> published.check(PUBLISHED)),
                  DynamicTest.dynamicTest(
                      "catches: " + entry.name,
                      () ->
                          assertThatThrownBy(() -> broken.check(BROKEN))
                              .isInstanceOf(AssertionError.class)
                              .hasMessageContainingAll(
                                  entry.offenders.toArray(CharSequence[]::new))));
            });
  }

  private static List<Case> cases() {
    return List.of(
        new Case(
            "nothing uses gRPC's internals",
            ArchitectureRules::nothingUsesGrpcInternals,
            "UsesInternalPackage",
            "UsesInternalClass"),
        new Case(
            "core and spark hold no generated message",
            ArchitectureRules::coreAndSparkHoldNoGeneratedMessage,
            "IsGenerated"),
        new Case(
            "core knows neither protobuf nor Spark nor Guava",
            ArchitectureRules::coreKnowsNeitherProtobufNorSparkNorGuava,
            "UsesProtobuf",
            "UsesSpark",
            "UsesGuava"),
        new Case(
            "spark knows neither Spark's classes nor Guava",
            ArchitectureRules::sparkKnowsNeitherSparkClassesNorGuava,
            "UsesSparkMessages",
            "UsesGuavaToo"),
        new Case(
            "call knows no other package",
            rules -> rules.foundationsKnowNoOtherPackageOfOurs("call"),
            "CallKnowsAuth"),
        new Case(
            "event knows no other package",
            rules -> rules.foundationsKnowNoOtherPackageOfOurs("event"),
            "EventKnowsCall"),
        part("auth", "AuthKnowsMemo"),
        part("liveness", "LivenessKnowsRoot"),
        part("memo", "MemoKnowsPrefetch"),
        part("prefetch", "PrefetchKnowsRelease"),
        part("release", "ReleaseKnowsAuth"),
        new Case(
            "core knows none of the modules above it",
            ArchitectureRules::coreKnowsNoneOfTheModulesAboveIt,
            "CoreKnowsSpark"),
        new Case(
            "spark knows only core", ArchitectureRules::sparkKnowsOnlyCore, "SparkKnowsBridge"),
        new Case(
            "bridge knows no test support",
            ArchitectureRules::bridgeKnowsNoTestSupport,
            "BridgeKnowsTesting"),
        new Case(
            "test support stands alone",
            ArchitectureRules::testSupportStandsAlone,
            "TestingKnowsCall"),
        new Case(
            "packages have no cycles",
            ArchitectureRules::packagesHaveNoCycles,
            "CallKnowsAuth",
            "AuthKnowsCall"));
  }

  private static Case part(String part, String offender) {
    return new Case(
        part + " knows only call and event",
        rules -> rules.partsKnowOnlyTheFoundations(part),
        offender);
  }

  private static Location placeOf(Class<?> type) {
    return Location.of(type.getProtectionDomain().getCodeSource().getLocation());
  }

  private static Class<?> bridge() {
    try {
      return Class.forName("dev.channelkit.bridge.package-info");
    } catch (ClassNotFoundException e) {
      throw new AssertionError("the bridge module is not on the class path", e);
    }
  }

  private interface OnRules {
    ArchRule on(ArchitectureRules rules);
  }

  private static final class Case {
    final String name;
    final OnRules rule;
    final List<String> offenders;

    Case(String name, OnRules rule, String... offenders) {
      this.name = name;
      this.rule = rule;
      this.offenders = List.of(offenders);
    }
  }
}
