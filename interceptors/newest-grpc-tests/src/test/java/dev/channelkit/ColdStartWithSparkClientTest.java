package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ChildJvm;
import dev.channelkit.testing.ColdStart;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColdStartWithSparkClientTest {
  @Test
  void building_a_plain_stack_beside_the_Spark_client_loads_no_class_it_does_not_use()
      throws Exception {
    List<String> classPath = new ArrayList<>(ChildJvm.ownClassPath());
    classPath.add(System.getProperty("channelkit.test.spark.client"));
    List<String> packages = new ArrayList<>(ColdStart.OPTIONAL_TO_PLAIN_GRPC);
    packages.addAll(ColdStart.SPARK_CLIENT);

    assertThat(ColdStart.loadedOf(ChildMains.BuildsPlainStack.class.getName(), classPath, packages))
        .isEmpty();
  }
}
