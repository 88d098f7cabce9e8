package dev.channelkit;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.Token;
import dev.channelkit.event.StackEventListener;
import dev.channelkit.testing.InterceptorConformance;
import dev.channelkit.testing.InterceptorTrait;
import io.grpc.ClientInterceptor;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The composed stack, with every public part in it, over the whole matrix of calls. */
class InterceptorStackConformanceTest extends InterceptorConformance {
  private final List<String> log = new CopyOnWriteArrayList<>();

  @Override
  protected ClientInterceptor newInterceptor() throws Exception {
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(() -> Token.withoutExpiry("for-every-cell")).build();
    // The wait for a first token is the business of the credentials' own suite.
    credentials.token().toCompletableFuture().get(20, TimeUnit.SECONDS);
    return InterceptorStack.builder()
        .outermost(new Recorder("out", log))
        .credentials(credentials)
        .innermost(new Recorder("in", log))
        .eventListener(new StackEventListener() {})
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
