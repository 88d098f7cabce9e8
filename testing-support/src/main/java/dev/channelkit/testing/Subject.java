package dev.channelkit.testing;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** What the suite must know about an interceptor; see the methods of the suite itself. */
interface Subject {
  Duration PATIENCE = Duration.ofSeconds(5);

  ClientInterceptor newInterceptor() throws Exception;

  default Map<String, Long> openCounts() {
    return Map.of();
  }

  default CallOptions callOptions(CallOptions options) {
    return options;
  }

  default Set<InterceptorTrait> traits() {
    return Set.of();
  }

  default boolean isSharedThread(Thread thread) {
    return false;
  }

  default Duration patience() {
    return PATIENCE;
  }

  default void afterCell() throws Exception {}
}
