package dev.channelkit.consumers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ChildJvm;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever takes the wrong artifact is told the right one, early. */
class WrongFlavourTest {
  @Test
  void the_shaded_flavour_without_the_official_client_names_it() throws Exception {
    ChildJvm.Result run =
        OutsideProject.built("client-4.2.0")
            .running("com.example.WithoutSpark")
            .withoutClassPathEntries(entry -> entry.contains("spark-connect-client-jvm"))
            .run();

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output().lines())
        .singleElement()
        .asString()
        .startsWith("refused: ")
        .contains("org.apache.spark:spark-connect-client-jvm_2.13")
        .contains("dev.channelkit:channelkit-spark ");
  }

  @Test
  void the_plain_flavour_without_grpc_names_it() throws Exception {
    ChildJvm.Result run =
        OutsideProject.built("plain-grpc")
            .running("com.example.WithoutGrpc")
            .withoutClassPathEntries(entry -> new File(entry).getName().startsWith("grpc-"))
            .run();

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("refused: "))
        .allMatch(line -> line.contains("io.grpc:grpc-api"))
        .allMatch(line -> line.contains("dev.channelkit:channelkit-spark-shaded"));
  }

  @Test
  void the_plain_flavour_with_nothing_but_the_official_client_names_the_shaded_one()
      throws Exception {
    ChildJvm.Result run =
        OutsideProject.built("plain-grpc")
            .running("com.example.WithoutGrpc")
            .withoutClassPathEntries(entry -> new File(entry).getName().startsWith("grpc-"))
            .classPath(OutsideProject.built("client-4.2.0").dependencies())
            .run();

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("refused: Wrong flavour of channelkit"))
        .allMatch(line -> line.contains("dev.channelkit:channelkit-spark-shaded"));
  }

  @Test
  void javac_says_what_the_page_on_flavours_says(@TempDir Path folder) throws Exception {
    List<String> classPath = new ArrayList<>(OutsideProject.built("plain-grpc").dependencies());
    classPath.addAll(OutsideProject.built("client-4.2.0").dependencies());
    String source =
        """
        import dev.channelkit.spark.SparkConnect;
        import org.apache.spark.sql.connect.SparkSession;

        class Wrong {
          Object session =
              SparkSession.builder()
                  .remote("sc://localhost")
                  .interceptor(SparkConnect.stack().build().interceptor());
        }
        """;
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    boolean compiled =
        javac
            .getTask(
                null,
                null,
                found,
                List.of("-d", folder.toString(), "-cp", String.join(File.pathSeparator, classPath)),
                null,
                List.of(
                    new SimpleJavaFileObject(
                        URI.create("string:///Wrong.java"), JavaFileObject.Kind.SOURCE) {
                      @Override
                      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                      }
                    }))
            .call();

    assertThat(compiled).isFalse();
    List<String> errors =
        found.getDiagnostics().stream()
            .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
            .map(diagnostic -> diagnostic.getMessage(Locale.ENGLISH))
            .toList();
    Path page = Path.of(System.getProperty("channelkit.basedir"), "../../docs/flavours.md");
    assertThat(errors)
        .singleElement()
        .asString()
        .contains("ClientInterceptor")
        .satisfies(error -> assertThat(Files.readString(page)).contains(error));
  }
}
