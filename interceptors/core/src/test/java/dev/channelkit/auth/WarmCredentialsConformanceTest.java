package dev.channelkit.auth;

import dev.channelkit.testing.InterceptorConformance;
import dev.channelkit.testing.InterceptorTrait;
import io.grpc.ClientInterceptor;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The interceptor with a token at hand, over the whole matrix of calls. */
class WarmCredentialsConformanceTest extends InterceptorConformance {
  @Override
  protected ClientInterceptor newInterceptor() throws Exception {
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(() -> Token.withoutExpiry("warm-token")).build();
    credentials.token().toCompletableFuture().get(20, TimeUnit.SECONDS);
    return credentials.interceptor();
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
