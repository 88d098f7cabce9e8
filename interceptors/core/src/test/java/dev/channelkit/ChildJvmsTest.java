package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ChildJvm;
import dev.channelkit.testing.ColdStart;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own can show: a class path, loaded classes, its end. */
class ChildJvmsTest {
  @Test
  void building_a_plain_stack_loads_no_class_of_what_it_does_not_use() throws Exception {
    Set<String> loaded =
        ColdStart.loadedOf(
            ChildMains.BuildsPlainStack.class.getName(),
            ChildJvm.ownClassPath(),
            ColdStart.OPTIONAL_TO_PLAIN_GRPC);

    assertThat(loaded).isEmpty();
  }

  @Test
  @Tag("control")
  void control_a_program_that_uses_Netty_is_noticed() throws Exception {
    Set<String> loaded =
        ColdStart.loadedOf(
            ChildMains.TouchesNetty.class.getName(),
            ChildJvm.ownClassPath(),
            ColdStart.OPTIONAL_TO_PLAIN_GRPC);

    assertThat(loaded).contains("io.grpc.netty.NettyChannelBuilder");
  }

  @Test
  void a_program_that_uses_everything_and_closes_nothing_ends_by_itself() throws Exception {
    ChildJvm.Result result =
        ChildJvm.running(ChildMains.ClosesNothing.class.getName())
            .classPath(ChildJvm.ownClassPath())
            .run();

    assertThat(result.timedOut()).isFalse();
    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.output().lines()).contains("answered", "failed");
    assertThat(millisFromReturnToExit(result.output())).isLessThan(3_000);
  }

  @Test
  void without_gRPC_the_first_call_names_the_missing_artifact() throws Exception {
    namesTheMissingArtifact(withoutGrpc());
  }

  @Test
  @Tag("control")
  void control_without_the_check_a_class_of_gRPC_is_missed_instead(@TempDir Path unchecked) {
    Controls.assertFails(
        "wrong flavour",
        "Flavour without its check",
        () -> {
          compile(
              unchecked,
              "Flavour",
              "package dev.channelkit; public final class Flavour {"
                  + " public static void requireGrpc() {} }");
          ChildJvm child =
              ChildJvm.running(ChildMains.Enters.class.getName())
                  .classPath(List.of(unchecked.toString()));
          namesTheMissingArtifact(onOwnClassPathWithoutGrpc(child));
        });
  }

  private static void namesTheMissingArtifact(ChildJvm child) throws Exception {
    ChildJvm.Result result = child.run();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .contains("java.lang.IllegalStateException")
        .contains("io.grpc:grpc-api")
        .contains("dev.channelkit:channelkit-spark-shaded")
        .doesNotContain("NoClassDefFoundError");
  }

  @Test
  void with_the_official_Spark_client_the_first_call_names_the_flavour_to_use(
      @TempDir Path sparkClient) throws Exception {
    pretendSparkClient(sparkClient);

    ChildJvm.Result result = withoutGrpc().classPath(List.of(sparkClient.toString())).run();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .contains("java.lang.IllegalStateException: Wrong flavour of channelkit")
        .contains("the official Spark Connect client")
        .contains("org.sparkproject.io.grpc")
        .contains("Use the artifact dev.channelkit:channelkit-spark-shaded")
        .doesNotContain("NoClassDefFoundError");
  }

  @Test
  void with_gRPC_the_check_passes() throws Exception {
    ChildJvm.Result result =
        ChildJvm.running(ChildMains.Enters.class.getName())
            .classPath(ChildJvm.ownClassPath())
            .run();

    assertThat(result.output()).isEqualToIgnoringNewLines("built");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void in_a_runtime_without_Flight_Recorder_events_still_reach_listeners() throws Exception {
    ChildJvm.Result result =
        ChildJvm.running(ChildMains.Emits.class.getName())
            .classPath(ChildJvm.ownClassPath())
            .jvmFlags("--limit-modules", "java.base,java.logging")
            .run();

    assertThat(result.output().lines()).containsExactly("false", "heard 1");
    assertThat(result.exitCode()).isZero();
  }

  private static long millisFromReturnToExit(String output) {
    return output
        .lines()
        .filter(line -> line.startsWith("ended after "))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  private static ChildJvm withoutGrpc() {
    return onOwnClassPathWithoutGrpc(ChildJvm.running(ChildMains.Enters.class.getName()));
  }

  private static ChildJvm onOwnClassPathWithoutGrpc(ChildJvm child) {
    return child
        .classPath(ChildJvm.ownClassPath())
        .withoutClassPathEntries(entry -> new File(entry).getName().startsWith("grpc-"));
  }

  /** A class of the client's relocated gRPC is all that the check looks for. */
  private static void pretendSparkClient(Path folder) throws Exception {
    compile(
        folder,
        "ClientInterceptor",
        "package org.sparkproject.io.grpc; public interface ClientInterceptor {}");
  }

  private static void compile(Path folder, String className, String text) throws Exception {
    Path source = folder.resolve(className + ".java");
    Files.writeString(source, text);
    int compiled =
        javax.tools.ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", folder.toString(), source.toString());
    assertThat(compiled).isZero();
  }
}
