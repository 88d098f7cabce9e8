package dev.channelkit.auth;

import dev.channelkit.testing.InterceptorConformance;
import dev.channelkit.testing.InterceptorTrait;
import io.grpc.ClientInterceptor;
import java.util.Set;

/** The interceptor without a token yet, and ready to send unary calls again. */
class ColdRetryingCredentialsConformanceTest extends InterceptorConformance {
  @Override
  protected ClientInterceptor newInterceptor() {
    return CachedCallCredentials.builder(() -> Token.withoutExpiry("cold-token"))
        .retryOnceOnUnauthenticated(true)
        .build()
        .interceptor();
  }

  @Override
  protected Set<InterceptorTrait> traits() {
    return Set.of(InterceptorTrait.ADDS_REQUEST_HEADERS);
  }

  @Override
  protected boolean isSharedThread(Thread thread) {
    return thread.getName().startsWith("channelkit-");
  }
}
