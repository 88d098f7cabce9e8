package dev.channelkit.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  @TempDir Path folder;

  @Test
  void the_json_has_the_promised_fields_in_the_promised_order() throws Exception {
    Report report = new Report("4.2.0", List.of(new CredentialsPart().result(run(3), run(1))));
    report.write(folder);
    JsonNode json = new ObjectMapper().readTree(folder.resolve("quickstart.json").toFile());
    assertThat(names(json)).containsExactly("spark", "credentials", "rpcs");
    assertThat(json.get("spark").asText()).isEqualTo("4.2.0");
    JsonNode credentials = json.get("credentials");
    assertThat(names(credentials))
        .containsExactly(
            "calls",
            "bareFetches",
            "oursFetches",
            "refreshesDue",
            "callsDelayed",
            "sentExpired",
            "bareMsPerCall",
            "oursMsPerCall");
    assertThat(credentials).allMatch(JsonNode::isNumber);
    assertThat(credentials.get("bareFetches").asLong()).isEqualTo(3);
    assertThat(credentials.get("oursFetches").asLong()).isEqualTo(1);
    assertThat(json.get("rpcs").get("bare").get("AnalyzePlan").asLong()).isEqualTo(2);
    assertThat(json.get("rpcs").get("ours").get("AnalyzePlan").asLong()).isEqualTo(2);
  }

  @Test
  void the_page_needs_nothing_from_anywhere() throws Exception {
    Report report = new Report("4.2.0", List.of(new CredentialsPart().result(run(3), run(1))));
    String page = Page.of(report);
    assertThat(page).contains("<svg").doesNotContain("http", "url(", "src=", "<link", "<script");
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static Run run(int tokens) {
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    TokenSourceModel source = new TokenSourceModel("not-a-secret", InstantSource.fixed(start));
    for (int i = 0; i < tokens; i++) {
      source.fetch();
    }
    return new Run(
        1,
        start,
        0,
        Duration.ofSeconds(2),
        Map.of("schema", 3.5),
        List.of(new RpcLog.Entry("AnalyzePlan", start), new RpcLog.Entry("AnalyzePlan", start)),
        Map.of("AnalyzePlan", 2L),
        source.issued());
  }
}
