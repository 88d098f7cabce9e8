package dev.channelkit.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ChildJvm;
import java.io.File;
import org.junit.jupiter.api.Test;

/** The preset is where users of Spark come in: what is missing has to be said here. */
class PresetEntryTest {
  @Test
  void the_preset_builds_a_stack() throws Exception {
    ChildJvm.Result result = entering("nothing-to-take-away").run();

    assertThat(result.output())
        .isEqualToIgnoringNewLines("InterceptorStack[channel; off: credentials (not configured)]");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void without_gRPC_the_preset_names_the_artifacts() throws Exception {
    ChildJvm.Result result = entering("grpc-").run();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .contains("java.lang.IllegalStateException")
        .contains("io.grpc:grpc-api", "dev.channelkit:channelkit-spark-shaded")
        .doesNotContain("NoClassDefFoundError");
  }

  @Test
  void without_protobuf_the_preset_names_the_artifacts() throws Exception {
    ChildJvm.Result result = entering("protobuf-java").run();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .contains("java.lang.IllegalStateException")
        .contains("com.google.protobuf:protobuf-java", "dev.channelkit:channelkit-spark-shaded")
        .doesNotContain("NoClassDefFoundError");
  }

  private static ChildJvm entering(String missingJar) {
    return ChildJvm.running(Enters.class.getName())
        .classPath(ChildJvm.ownClassPath())
        .withoutClassPathEntries(entry -> new File(entry).getName().startsWith(missingJar));
  }

  static final class Enters {
    public static void main(String[] arguments) {
      System.out.println(SparkConnect.stack().build());
    }
  }
}
