package dev.channelkit.newest;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rules of architecture for everything below one root package.
 *
 * <p>The root is a parameter so that the same rules can be shown to catch offenders that live below
 * another root.
 */
final class ArchitectureRules {
  private static final List<String> FOUNDATIONS = List.of("call", "event");
  private static final List<String> PARTS =
      List.of("auth", "liveness", "memo", "prefetch", "release");

  private final String root;
  private final String[] core;
  private final String spark;
  private final String bridge;
  private final String testing;

  ArchitectureRules(String root) {
    this.root = root;
    this.core =
        Stream.concat(
                Stream.of(root),
                Stream.concat(FOUNDATIONS.stream(), PARTS.stream()).map(this::below))
            .toArray(String[]::new);
    this.spark = below("spark");
    this.bridge = below("bridge");
    this.testing = below("testing");
  }

  ArchRule nothingUsesGrpcInternals() {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.grpc.internal..").or(nameMatching("io\\.grpc\\.Internal.*")))
        .because("gRPC changes its internals without notice");
  }

  ArchRule coreAndSparkHoldNoGeneratedMessage() {
    return noClasses()
        .that()
        .resideInAnyPackage(coreAnd(spark))
        .should()
        .beAssignableTo(
            assignableTo("com.google.protobuf.AbstractMessageLite")
                .or(assignableTo("com.google.protobuf.GeneratedMessageLite")))
        .because("generated code refuses an older protobuf runtime")
        .allowEmptyShould(true);
  }

  ArchRule coreKnowsNeitherProtobufNorSparkNorGuava() {
    return noClasses()
        .that()
        .resideInAnyPackage(core)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "com.google.protobuf..",
            "io.grpc.protobuf..",
            "org.apache.spark..",
            "com.google.common..")
        .because("core serves any protocol");
  }

  ArchRule sparkKnowsNeitherSparkClassesNorGuava() {
    return noClasses()
        .that()
        .resideInAPackage(spark)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.spark..", "com.google.common..")
        .because("the artifact serves every version of Spark");
  }

  ArchRule foundationsKnowNoOtherPackageOfOurs(String foundation) {
    return noClasses()
        .that()
        .resideInAPackage(below(foundation))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(root + "..").and(not(resideInAnyPackage(below(foundation)))));
  }

  ArchRule partsKnowOnlyTheFoundations(String part) {
    return noClasses()
        .that()
        .resideInAPackage(below(part))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(root + "..")
                .and(not(resideInAnyPackage(below(part), below("call"), below("event")))))
        .because("each part stands alone")
        .allowEmptyShould(true);
  }

  ArchRule coreKnowsNoneOfTheModulesAboveIt() {
    return noClasses()
        .that()
        .resideInAnyPackage(core)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(spark + "..", bridge + "..", testing + "..");
  }

  ArchRule sparkKnowsOnlyCore() {
    return noClasses()
        .that()
        .resideInAPackage(spark + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(bridge + "..", testing + "..");
  }

  ArchRule bridgeKnowsNoTestSupport() {
    return noClasses()
        .that()
        .resideInAPackage(bridge + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(testing + "..");
  }

  ArchRule testSupportStandsAlone() {
    return noClasses()
        .that()
        .resideInAPackage(testing + "..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(root + "..").and(not(resideInAnyPackage(testing + ".."))))
        .because("core and spark use it in test scope");
  }

  ArchRule packagesHaveNoCycles() {
    return slices().matching(root + ".(*)..").should().beFreeOfCycles();
  }

  static List<String> foundations() {
    return FOUNDATIONS;
  }

  static List<String> parts() {
    return PARTS;
  }

  private String below(String name) {
    return root + "." + name;
  }

  private String[] coreAnd(String more) {
    return Stream.concat(Stream.of(core), Stream.of(more)).toArray(String[]::new);
  }
}
