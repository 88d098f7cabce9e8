package dev.channelkit.examples.quickstart;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Everything that one run of the quickstart measured. */
record Report(String sparkVersion, List<PartResult> parts) {

  /** The figures as they go into the JSON: the version, an object for each part, the RPCs. */
  Map<String, Object> figures() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("spark", sparkVersion);
    Map<String, Map<String, Long>> rpcs = new LinkedHashMap<>();
    for (PartResult result : parts) {
      all.put(result.part().name(), result.figures());
      result
          .rpcs()
          .forEach(
              (side, methods) ->
                  methods.forEach(
                      (method, count) ->
                          rpcs.computeIfAbsent(side, name -> new TreeMap<>())
                              .merge(method, count, Long::sum)));
    }
    all.put("rpcs", rpcs);
    return all;
  }

  /** Writes {@code quickstart.json} and {@code quickstart.html}. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    String json = new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(figures());
    Files.writeString(folder.resolve("quickstart.json"), json + "\n");
    Files.writeString(folder.resolve("quickstart.html"), Page.of(this));
  }
}
