package dev.channelkit.clienttests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.channelkit.shaded.InterceptorStack;
import dev.channelkit.shaded.auth.CachedCallCredentials;
import dev.channelkit.shaded.auth.Token;
import dev.channelkit.shaded.spark.SparkConnect;
import dev.channelkit.testing.RealSparkConnect;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.sql.connect.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A session with the stack gives what a bare one gives, on servers that demand a token: rows,
 * schemas, and failures to the letter.
 */
class SameAnswersTest {
  private static final String CLIENT = System.getProperty("channelkit.client.version");
  private static final String TOKEN = "one-fixed-token";
  private static final String TOKEN_IN_ADDRESS = ";token=" + TOKEN;
  private static final Operation CLOSE =
      new Operation(
          "close",
          (spark, unused) -> {
            spark.close();
            return "closed";
          });

  /** Started together, which costs little more time than one alone. */
  private static final Map<String, CompletableFuture<RealSparkConnect>> SERVERS = new TreeMap<>();

  @TempDir static Path folder;

  @BeforeAll
  static void startServers() {
    // The older server refuses to run on JDK 24 or newer.
    for (String version :
        Runtime.version().feature() < 24 ? List.of("4.0.1", "4.2.0") : List.of("4.2.0")) {
      SERVERS.put(version, CompletableFuture.supplyAsync(() -> start(version)));
    }
    SERVERS.values().forEach(CompletableFuture::join);
  }

  /** Each query runs once or twice here: generating and optimizing code for it does not pay. */
  private static RealSparkConnect start(String version) {
    return RealSparkConnect.builder(version)
        .authToken(TOKEN)
        .conf("spark.sql.codegen.wholeStage", "false")
        .conf("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .jvmOption("-XX:TieredStopAtLevel=1")
        .jvmOption("-XX:+UseSerialGC")
        .start();
  }

  @AfterAll
  static void stopServers() {
    SERVERS.values().forEach(server -> server.thenAccept(RealSparkConnect::close).join());
  }

  @TestFactory
  Stream<DynamicContainer> the_stack_with_credentials_answers_like_a_bare_session() {
    return onEachServer(
        server -> {
          SeenCalls seen = new SeenCalls();
          AtomicInteger fetches = new AtomicInteger();
          InterceptorStack stack =
              SparkConnect.stack().outermost(seen).credentials(credentials(TOKEN, fetches)).build();
          SparkSession bare = session(server, TOKEN_IN_ADDRESS);
          SparkSession ours = session(server, "", stack);
          List<Operation> operations = new ArrayList<>(Operations.all());
          operations.add(CLOSE);
          return Stream.concat(
              operations.stream().map(operation -> same(operation, server, bare, ours)),
              Stream.of(
                  dynamicTest(
                      "one token was fetched, and the stack saw every kind of call",
                      () -> {
                        stack.close();
                        assertThat(fetches).hasValue(1);
                        assertThat(seen.byMethod())
                            .containsKeys(
                                "AnalyzePlan",
                                "Config",
                                "ExecutePlan",
                                "ReleaseExecute",
                                "FetchErrorDetails",
                                "Interrupt",
                                "AddArtifacts",
                                "ReleaseSession");
                      })));
        });
  }

  @TestFactory
  Stream<DynamicContainer> the_stack_lets_a_token_in_the_address_through() {
    return onEachServer(
        server -> {
          SparkSession bare = session(server, TOKEN_IN_ADDRESS);
          SparkSession ours = session(server, TOKEN_IN_ADDRESS, SparkConnect.stack().build());
          return Stream.of("version", "sql collect", "fails: parse error", "close")
              .map(name -> same(named(name), server, bare, ours));
        });
  }

  @TestFactory
  Stream<DynamicContainer> a_wrong_token_is_refused_in_the_same_words() {
    return onEachServer(
        server -> {
          InterceptorStack stack =
              SparkConnect.stack().credentials(credentials("wrong", new AtomicInteger())).build();
          SparkSession bare = session(server, ";token=wrong");
          SparkSession ours = session(server, "", stack);
          return Stream.of("version", "sql collect", "close")
              .map(
                  name ->
                      dynamicTest(
                          name,
                          () -> {
                            Outcome expected = Outcome.of(named(name), bare, folder);
                            assertThat(Outcome.of(named(name), ours, folder)).isEqualTo(expected);
                            // Clients differ in whether a failed release shows when they close.
                            if (!name.equals(CLOSE.name())) {
                              assertThat(expected.text()).contains("Invalid authentication token");
                            }
                          }));
        });
  }

  private static Stream<DynamicContainer> onEachServer(Tests tests) {
    return SERVERS.values().stream()
        .map(CompletableFuture::join)
        .map(
            server ->
                dynamicContainer(
                    "client " + CLIENT + ", server " + server.version(), tests.on(server)));
  }

  private static DynamicNode same(
      Operation operation, RealSparkConnect server, SparkSession bare, SparkSession ours) {
    return dynamicTest(
        operation.name(),
        () -> {
          Outcome expected = Outcome.of(operation, bare, folder);
          assertThat(Outcome.of(operation, ours, folder)).isEqualTo(expected);
          assertThat(expected.failed())
              .as(expected.text())
              .isEqualTo(operation.failsWith(CLIENT, server.version()));
        });
  }

  private static Operation named(String name) {
    return Stream.concat(Operations.all().stream(), Stream.of(CLOSE))
        .filter(operation -> operation.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static CachedCallCredentials credentials(String token, AtomicInteger fetches) {
    return CachedCallCredentials.builder(
            () -> {
              fetches.incrementAndGet();
              return Token.of(token, Instant.now().plusSeconds(3600));
            })
        .allowPlaintextToLoopback(true)
        .build();
  }

  private static SparkSession session(RealSparkConnect server, String options) {
    return SparkSession.builder().remote(address(server, options)).create();
  }

  private static SparkSession session(
      RealSparkConnect server, String options, InterceptorStack stack) {
    return SparkSession.builder()
        .remote(address(server, options))
        .interceptor(stack.interceptor())
        .create();
  }

  /** The name localhost is the only one that the client sends a token to in plaintext. */
  private static String address(RealSparkConnect server, String options) {
    return "sc://localhost:" + server.port() + "/;use_ssl=false" + options;
  }

  private interface Tests {
    Stream<? extends DynamicNode> on(RealSparkConnect server);
  }
}
