package dev.channelkit.consumers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The relocated artifact as it is deployed: jar, sources, Javadoc and POM. */
class ShadedArtifactTest {
  private static final String SHADED = "channelkit-spark-shaded";
  private static final String HOME = "dev/channelkit/shaded/";

  /** In class files: types, descriptors and resource names of what must be relocated. */
  private static final Pattern PLAIN_PATH =
      Pattern.compile(
          "(?<!org/sparkproject/)\\b(io/grpc|com/google/protobuf)/"
              + "|\\bdev/channelkit/(?!shaded/)");

  /** String constants that are the name of a class, as handed to Class.forName. */
  private static final Pattern PLAIN_NAME =
      Pattern.compile(
          "(io\\.grpc|com\\.google\\.protobuf|dev\\.channelkit(?!\\.shaded))\\.[\\w.$]+");

  /** In texts. */
  private static final Pattern PLAIN_WORD =
      Pattern.compile(
          "(?<!org\\.sparkproject\\.)\\b(io\\.grpc|com\\.google\\.protobuf)\\.[A-Za-z]"
              + "|\\bdev\\.channelkit\\.(?!shaded)[a-z]");

  @Test
  void every_class_is_relocated_and_none_is_missing() throws Exception {
    List<String> expected = new ArrayList<>();
    for (String part : List.of("channelkit-core", "channelkit-spark")) {
      Jars.entries(FolderRepository.jar(part).toString()).stream()
          .filter(entry -> entry.startsWith("dev/"))
          .map(entry -> entry.replaceFirst("dev/channelkit/", HOME))
          .forEach(expected::add);
    }
    expected.add("META-INF/MANIFEST.MF");
    expected.add("META-INF/LICENSE");

    assertThat(Jars.entries(FolderRepository.jar(SHADED).toString()))
        .filteredOn(entry -> !entry.startsWith("META-INF/services/"))
        .containsExactlyInAnyOrderElementsOf(new TreeSet<>(expected));
  }

  @Test
  void no_class_refers_to_plain_grpc_or_protobuf() throws Exception {
    Map<String, byte[]> classes = Jars.contents(FolderRepository.jar(SHADED).toString(), ".class");
    assertThat(classes).isNotEmpty();
    boolean usesRelocated = false;
    for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
      for (String constant : Jars.constants(entry.getValue())) {
        assertThat(PLAIN_PATH.matcher(constant).find())
            .as("%s holds \"%s\"", entry.getKey(), constant)
            .isFalse();
        assertThat(PLAIN_NAME.matcher(constant).matches())
            .as("%s holds \"%s\"", entry.getKey(), constant)
            .isFalse();
        usesRelocated |= constant.equals("org/sparkproject/io/grpc/ClientInterceptor");
      }
    }
    assertThat(usesRelocated).isTrue();
  }

  @Test
  void the_manifest_names_the_module() throws Exception {
    try (JarFile jar = new JarFile(FolderRepository.jar(SHADED).toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo("dev.channelkit.shaded");
    }
    assertThat(Jars.texts(FolderRepository.jar(SHADED).toString(), "META-INF/LICENSE").values())
        .singleElement()
        .asString()
        .contains("Apache License");
  }

  @Test
  void sources_are_relocated_in_place_and_in_text() throws Exception {
    Map<String, String> sources = Jars.texts(FolderRepository.sources(SHADED).toString(), ".java");
    int expected = 0;
    for (String part : List.of("channelkit-core", "channelkit-spark")) {
      expected += Jars.texts(FolderRepository.sources(part).toString(), ".java").size();
    }

    assertThat(sources).hasSize(expected);
    sources.forEach(
        (name, text) -> {
          assertThat(name).startsWith(HOME);
          String folder = name.substring(0, name.lastIndexOf('/'));
          assertThat(text).contains("package " + folder.replace('/', '.') + ";");
          assertNoPlainWord(name, text);
        });
  }

  @Test
  void javadoc_is_relocated() throws Exception {
    Map<String, String> pages = Jars.texts(FolderRepository.javadoc(SHADED).toString(), ".html");

    assertThat(pages)
        .containsKeys(HOME + "InterceptorStack.html", HOME + "spark/SparkConnect.html");
    assertThat(pages.get(HOME + "InterceptorStack.html"))
        .contains("org.sparkproject.io.grpc.ClientInterceptor");
    pages.forEach(
        (name, text) -> {
          assertThat(!name.startsWith("dev/") || name.startsWith(HOME)).as(name).isTrue();
          assertNoPlainWord(name, text);
        });
  }

  @Test
  void the_pom_names_four_dependencies_and_neither_grpc_nor_protobuf() throws Exception {
    Map<String, String> versions = rootProperties();
    Path pom = FolderRepository.pom(SHADED);
    Map<String, String> dependencies = new TreeMap<>();
    NodeList nodes =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getElementsByTagName("dependency");
    for (int i = 0; i < nodes.getLength(); i++) {
      Element dependency = (Element) nodes.item(i);
      dependencies.put(
          text(dependency, "groupId") + ":" + text(dependency, "artifactId"),
          text(dependency, "version") + " " + text(dependency, "scope"));
    }

    assertThat(dependencies)
        .isEqualTo(
            Map.of(
                "dev.failsafe:failsafe", versions.get("failsafe.version") + " compile",
                "com.github.ben-manes.caffeine:caffeine",
                    versions.get("caffeine.version") + " compile",
                "com.google.auth:google-auth-library-credentials",
                    versions.get("google-auth.version") + " compile",
                "org.jspecify:jspecify", versions.get("jspecify.version") + " compile"));
    assertThat(Files.readString(pom).substring(Files.readString(pom).indexOf("<dependencies>")))
        .doesNotContain("io.grpc")
        .doesNotContain("protobuf");
  }

  @Test
  void five_artifacts_are_deployed_each_with_sources_and_javadoc() throws Exception {
    assertThat(FolderRepository.artifacts())
        .containsExactly(
            "channelkit-core",
            "channelkit-parent",
            "channelkit-spark",
            "channelkit-spark-shaded",
            "channelkit-testing");
    for (String artifact : FolderRepository.artifacts()) {
      assertThat(FolderRepository.pom(artifact)).isNotEmptyFile();
      if (!artifact.equals("channelkit-parent")) {
        assertThat(Jars.entries(FolderRepository.jar(artifact).toString()))
            .anyMatch(entry -> entry.endsWith(".class"));
        assertThat(Jars.entries(FolderRepository.sources(artifact).toString()))
            .anyMatch(entry -> entry.endsWith(".java"));
        assertThat(Jars.entries(FolderRepository.javadoc(artifact).toString()))
            .contains("index.html");
      }
    }
  }

  private static void assertNoPlainWord(String name, String text) {
    Matcher plain = PLAIN_WORD.matcher(text);
    if (plain.find()) {
      int from = Math.max(0, plain.start() - 60);
      int to = Math.min(text.length(), plain.end() + 60);
      throw new AssertionError(name + " says: " + text.substring(from, to));
    }
  }

  private static String text(Element parent, String tag) {
    return parent.getElementsByTagName(tag).item(0).getTextContent();
  }

  private static Map<String, String> rootProperties() throws Exception {
    String pom =
        Files.readString(Path.of(System.getProperty("channelkit.basedir"), "../../pom.xml"));
    Map<String, String> properties = new TreeMap<>();
    Matcher property = Pattern.compile("<([\\w.-]+\\.version)>([^<]+)</\\1>").matcher(pom);
    while (property.find()) {
      properties.put(property.group(1), property.group(2));
    }
    return properties;
  }
}
