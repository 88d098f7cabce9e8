package dev.channelkit.auth;

import dev.channelkit.call.CallRuntime;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Puts the credentials on calls that have none, and sees what the server says to them. */
final class CredentialsInterceptor implements ClientInterceptor {
  private final CachedCallCredentials credentials;
  private final TokenCache cache;
  private final boolean retryOnce;
  private final CallRuntime runtime;

  CredentialsInterceptor(
      CachedCallCredentials credentials, TokenCache cache, boolean retryOnce, CallRuntime runtime) {
    this.credentials = credentials;
    this.cache = cache;
    this.retryOnce = retryOnce;
    this.runtime = runtime;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    boolean foreign = options.getCredentials() != null && options.getCredentials() != credentials;
    if (foreign || Boolean.FALSE.equals(options.getOption(CachedCallCredentials.ENABLED))) {
      return next.newCall(method, options);
    }
    if (retryOnce && method.getType() == MethodType.UNARY) {
      return new RetryOnceCall<>(this, method, options, next);
    }
    CallRecord record = new CallRecord(credentials);
    return new CredentialedCall<>(
        next.newCall(method, options.withCallCredentials(record)), record, options, runtime, cache);
  }

  /** A further attempt of a call whose headers are made already. */
  <Q, R> GatedCall<Q, R> attempt(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    CallRecord record = new CallRecord(credentials);
    return new GatedCall<>(
        next.newCall(method, options.withCallCredentials(record)), record, options, runtime);
  }

  TokenCache cache() {
    return cache;
  }

  /**
   * Makes room: what credentials give is added to the headers, never put in their place. Called
   * before the headers are passed on; after that they belong to the call below.
   *
   * @return whether the request names a project of its own, which then counts
   */
  static boolean makeRoom(Metadata headers) {
    headers.removeAll(IssuedToken.AUTHORIZATION);
    if (!headers.containsKey(IssuedToken.USER_PROJECT)) {
      return false;
    }
    String last = null;
    @Nullable Iterable<String> projects = headers.removeAll(IssuedToken.USER_PROJECT);
    if (projects != null) {
      for (Iterator<String> each = projects.iterator(); each.hasNext(); ) {
        last = each.next();
      }
    }
    if (last != null) {
      headers.put(IssuedToken.USER_PROJECT, last);
    }
    return last != null;
  }
}
