package dev.channelkit.consumers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ChildJvm;
import dev.channelkit.testing.RealSparkConnect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody else's project builds from the published artifacts alone, and what it builds runs. */
class OutsideProjectsTest {
  private static final String[] SPARK_FLAGS = {
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
    "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED",
    // Arrow on JDK 24 and newer; an older one does not know the second.
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dio.netty.noUnsafe=false"
  };

  private static RealSparkConnect server;

  @BeforeAll
  static void startServer() {
    server = RealSparkConnect.builder("4.2.0").jvmOption("-XX:TieredStopAtLevel=1").start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.0.1", "4.2.0"})
  void a_user_of_the_official_client(String version) throws Exception {
    OutsideProject project = OutsideProject.built("client-" + version);

    assertThat(project.dependencies())
        .filteredOn(jar -> jar.contains("channelkit"))
        .singleElement()
        .asString()
        .contains("local-repository/dev/channelkit/channelkit-spark-shaded/");
    for (String jar : project.dependencies()) {
      assertThat(Jars.entries(jar))
          .as(jar)
          .noneMatch(entry -> entry.startsWith("io/grpc/"))
          .noneMatch(entry -> entry.startsWith("com/google/protobuf/"))
          .allMatch(
              entry ->
                  !entry.startsWith("dev/channelkit/")
                      || entry.startsWith("dev/channelkit/shaded/"));
    }

    ChildJvm.Result run =
        project
            .running("com.example.Main")
            .jvmFlags(SPARK_FLAGS)
            .arguments(server.uri().toString())
            .run();

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output().lines()).contains("version 4.2.0", "rows 100", "sum 45");
  }

  @Test
  void a_user_of_plain_grpc() throws Exception {
    OutsideProject project = OutsideProject.built("plain-grpc");

    assertThat(project.dependencies())
        .anyMatch(jar -> jar.endsWith("grpc-api-1.85.1.jar"))
        .filteredOn(jar -> jar.contains("channelkit"))
        .hasSize(2)
        .allMatch(jar -> jar.contains("local-repository/dev/channelkit/"));

    ChildJvm.Result run = project.running("com.example.Main").run();

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output().lines()).containsExactly("Hello core", "Hello spark");
  }
}
