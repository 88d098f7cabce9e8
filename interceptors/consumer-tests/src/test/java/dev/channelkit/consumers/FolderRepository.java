package dev.channelkit.consumers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What this build deployed: our artifacts as a user would download them. */
final class FolderRepository {
  private static final Path GROUP =
      Path.of(System.getProperty("channelkit.repository"), "dev", "channelkit");

  private FolderRepository() {}

  static List<String> artifacts() throws IOException {
    try (Stream<Path> folders = Files.list(GROUP)) {
      return folders.map(folder -> folder.getFileName().toString()).sorted().toList();
    }
  }

  static Path jar(String artifact) throws IOException {
    return file(artifact, ".jar");
  }

  static Path sources(String artifact) throws IOException {
    return file(artifact, "-sources.jar");
  }

  static Path javadoc(String artifact) throws IOException {
    return file(artifact, "-javadoc.jar");
  }

  static Path pom(String artifact) throws IOException {
    return file(artifact, ".pom");
  }

  /** The one file of that kind; a snapshot's name holds the time of its deployment. */
  private static Path file(String artifact, String suffix) throws IOException {
    Path folder = GROUP.resolve(artifact).resolve(System.getProperty("channelkit.version"));
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found =
          files
              .filter(file -> file.getFileName().toString().endsWith(suffix))
              .filter(
                  file ->
                      !suffix.equals(".jar")
                          || !file.getFileName().toString().matches(".*-(sources|javadoc)\\.jar"))
              .toList();
      if (found.size() != 1) {
        throw new AssertionError(
            "Expected one *" + suffix + " of " + artifact + " in the repository, found " + found);
      }
      return found.get(0);
    }
  }
}
