package dev.channelkit.clienttests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.channelkit.shaded.InterceptorStack;
import dev.channelkit.shaded.spark.SparkConnect;
import dev.channelkit.testing.RealSparkConnect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.spark.sql.connect.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A session with the stack gives what a bare one gives: rows, schemas, failures to the letter. */
class SameAnswersTest {
  private static final String CLIENT = System.getProperty("channelkit.client.version");
  private static final String TOKEN = "one-fixed-token";

  /** Started together: half a minute is saved on two cores. */
  private static final Map<String, CompletableFuture<RealSparkConnect>> SERVERS = new TreeMap<>();

  @TempDir static Path folder;

  @BeforeAll
  static void startServers() {
    for (String version : List.of("4.0.1", "4.2.0")) {
      SERVERS.put(
          version,
          CompletableFuture.supplyAsync(
              () -> RealSparkConnect.builder(version).authToken(TOKEN).start()));
    }
    SERVERS.values().forEach(CompletableFuture::join);
  }

  @AfterAll
  static void stopServers() {
    SERVERS.values().forEach(server -> server.thenAccept(RealSparkConnect::close).join());
  }

  @TestFactory
  Stream<DynamicNode> a_session_with_the_stack_answers_like_a_bare_one() {
    return SERVERS.values().stream()
        .map(CompletableFuture::join)
        .map(
            server ->
                dynamicContainer(
                    "client " + CLIENT + ", server " + server.version(), tests(server)));
  }

  private static Stream<DynamicNode> tests(RealSparkConnect server) {
    SeenCalls seen = new SeenCalls();
    InterceptorStack stack = SparkConnect.stack().outermost(seen).build();
    SparkSession bare = SparkSession.builder().remote(remote(server, TOKEN)).create();
    SparkSession ours =
        SparkSession.builder()
            .remote(remote(server, TOKEN))
            .interceptor(stack.interceptor())
            .create();
    List<DynamicNode> tests = new ArrayList<>();
    for (Operation operation : Operations.all()) {
      tests.add(
          dynamicTest(
              operation.name(),
              () -> {
                Outcome expected = Outcome.of(operation, bare, folder);
                assertThat(Outcome.of(operation, ours, folder)).isEqualTo(expected);
                assertThat(expected.failed())
                    .as(expected.text())
                    .isEqualTo(operation.failsWith(CLIENT, server.version()));
              }));
    }
    tests.add(
        dynamicTest(
            "close",
            () -> {
              Operation close =
                  new Operation(
                      "close",
                      (spark, unused) -> {
                        spark.close();
                        return "closed";
                      });
              Outcome expected = Outcome.of(close, bare, folder);
              assertThat(Outcome.of(close, ours, folder)).isEqualTo(expected);
              assertThat(expected.text()).isEqualTo("closed");
            }));
    tests.add(
        dynamicTest(
            "the stack saw every kind of call",
            () ->
                assertThat(seen.byMethod())
                    .containsKeys(
                        "AnalyzePlan",
                        "Config",
                        "ExecutePlan",
                        "ReleaseExecute",
                        "FetchErrorDetails",
                        "Interrupt",
                        "AddArtifacts",
                        "ReleaseSession")));
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicNode> a_wrong_token_is_refused_in_the_same_words() {
    return SERVERS.values().stream()
        .map(CompletableFuture::join)
        .map(
            server ->
                dynamicTest(
                    "client " + CLIENT + ", server " + server.version(),
                    () -> {
                      InterceptorStack stack = SparkConnect.stack().build();
                      SparkSession bare =
                          SparkSession.builder().remote(remote(server, "wrong")).create();
                      SparkSession ours =
                          SparkSession.builder()
                              .remote(remote(server, "wrong"))
                              .interceptor(stack.interceptor())
                              .create();
                      Operation version =
                          new Operation("version", (spark, unused) -> spark.version());
                      Outcome expected = Outcome.of(version, bare, folder);
                      assertThat(Outcome.of(version, ours, folder)).isEqualTo(expected);
                      assertThat(expected.failed()).isTrue();
                      assertThat(expected.text()).contains("Invalid authentication token");
                    }));
  }

  /** The name localhost is the one that the client sends a token to in plaintext. */
  private static String remote(RealSparkConnect server, String token) {
    return "sc://localhost:" + server.port() + "/;use_ssl=false;token=" + token;
  }
}
