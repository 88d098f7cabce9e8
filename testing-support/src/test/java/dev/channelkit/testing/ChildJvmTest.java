package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ChildJvmTest {
  @Test
  void a_child_gets_its_flags_arguments_and_environment_and_tells_its_output_and_exit_code()
      throws Exception {
    ChildJvm.Result result =
        child(Tells.class)
            .jvmFlags("-Dtold=by \"flag\"")
            .environment("TOLD", "by environment")
            .arguments("by argument", "")
            .run();

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.timedOut()).isFalse();
    assertThat(result.output().lines())
        .containsExactly("by \"flag\"", "by environment", "by argument|", "to the error stream");
    assertThat(result.loadedClasses()).isEmpty();
  }

  @Test
  void a_child_without_an_end_is_killed_when_its_time_is_over() throws Exception {
    ChildJvm.Result result = child(Hangs.class).timeout(Duration.ofSeconds(3)).run();

    assertThat(result.timedOut()).isTrue();
    assertThat(result.took()).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void loaded_classes_are_told_on_request() throws Exception {
    ChildJvm.Result result = child(Tells.class).arguments("x").logLoadedClasses().run();

    assertThat(result.loadedClasses())
        .contains("java.lang.Object", Tells.class.getName())
        .doesNotContain(Hangs.class.getName());
  }

  @Test
  void an_entry_taken_off_the_class_path_is_not_there() throws Exception {
    ChildJvm.Result result = child(Tells.class).withoutClassPathEntries(entry -> true).run();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output()).contains("ClassNotFoundException");
  }

  @Test
  void a_timeout_of_zero_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> child(Tells.class).timeout(Duration.ZERO))
        .withMessageContaining("timeout");
  }

  private static ChildJvm child(Class<?> main) {
    return ChildJvm.running(main.getName()).classPath(ChildJvm.ownClassPath());
  }

  static final class Tells {
    public static void main(String[] arguments) {
      System.out.println(System.getProperty("told"));
      System.out.println(System.getenv("TOLD"));
      System.out.println(String.join("|", arguments));
      System.err.println("to the error stream");
      System.exit(3);
    }
  }

  static final class Hangs {
    public static void main(String[] arguments) throws InterruptedException {
      new CountDownLatch(1).await();
    }
  }
}
