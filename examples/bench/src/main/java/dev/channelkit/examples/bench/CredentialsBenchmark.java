package dev.channelkit.examples.bench;

import com.google.auth.oauth2.AccessToken;
import com.google.auth.oauth2.OAuth2Credentials;
import io.grpc.Attributes;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.grpc.auth.MoreCallCredentials;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A token that is at hand, put into the headers of a call. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CredentialsBenchmark {
  private static final MethodDescriptor<byte[], byte[]> METHOD = Bytes.method("bench.Echo/Echo");

  private final CallOptions options = WarmCredentials.options(WarmCredentials.cached());

  /** As its interceptor puts them on a call, so that the generation is recorded for it. */
  private final CallCredentials cached = Objects.requireNonNull(options.getCredentials());

  private final CallCredentials grpcAuth =
      MoreCallCredentials.from(
          OAuth2Credentials.create(
              new AccessToken(
                  WarmCredentials.TOKEN, Date.from(Instant.now().plus(Duration.ofHours(12))))));
  private final Info info = new Info(options);
  private final Info plainInfo = new Info(CallOptions.DEFAULT);

  /** The baseline. */
  @Benchmark
  public @Nullable Metadata grpcAuth() {
    return apply(grpcAuth, plainInfo);
  }

  @Benchmark
  public @Nullable Metadata cached() {
    return apply(cached, info);
  }

  private static @Nullable Metadata apply(CallCredentials credentials, Info info) {
    Applier applier = new Applier();
    credentials.applyRequestMetadata(info, Runnable::run, applier);
    Metadata headers = applier.headers;
    if (headers == null) {
      throw new IllegalStateException("the token was not at hand: " + applier.failure);
    }
    return headers;
  }

  /** Takes the headers where a transport would. */
  private static final class Applier extends CallCredentials.MetadataApplier {
    private @Nullable Metadata headers;
    private @Nullable Status failure;

    @Override
    public void apply(Metadata headers) {
      this.headers = headers;
    }

    @Override
    public void fail(Status status) {
      failure = status;
    }
  }

  /** A call on an encrypted connection. */
  private static final class Info extends CallCredentials.RequestInfo {
    private final CallOptions options;

    Info(CallOptions options) {
      this.options = options;
    }

    @Override
    public MethodDescriptor<?, ?> getMethodDescriptor() {
      return METHOD;
    }

    @Override
    public CallOptions getCallOptions() {
      return options;
    }

    @Override
    public SecurityLevel getSecurityLevel() {
      return SecurityLevel.PRIVACY_AND_INTEGRITY;
    }

    @Override
    public String getAuthority() {
      return "bench.example.com";
    }

    @Override
    public Attributes getTransportAttrs() {
      return Attributes.EMPTY;
    }
  }
}
