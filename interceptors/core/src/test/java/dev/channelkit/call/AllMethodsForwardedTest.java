package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ClientCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AllMethodsForwardedTest {
  @Test
  @DisplayName("C14 Every method of ClientCall is overridden, those added by a later gRPC included")
  void everyMethodOfTheCallIsOverridden() {
    assertOverrides(DeferredClientCall.class, ClientCall.class);
    assertOverrides(LocalClientCall.class, ClientCall.class);
  }

  @Test
  @DisplayName("C14 Every callback of a listener is overridden")
  void everyCallbackIsOverridden() {
    assertOverrides(SerializingClientCallListener.class, ClientCall.Listener.class);
    assertOverrides(HandedOverListener.class, ClientCall.Listener.class);
  }

  private static void assertOverrides(Class<?> ours, Class<?> base) {
    assertThat(
            Arrays.stream(base.getDeclaredMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !Modifier.isPrivate(method.getModifiers()))
                .filter(method -> !method.isSynthetic())
                .filter(method -> !overrides(ours, method))
                .map(Method::getName))
        .isEmpty();
  }

  private static boolean overrides(Class<?> ours, Method method) {
    return Arrays.stream(ours.getDeclaredMethods())
        .filter(own -> !own.isBridge())
        .anyMatch(
            own ->
                own.getName().equals(method.getName())
                    && own.getParameterCount() == method.getParameterCount());
  }
}
