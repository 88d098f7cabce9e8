package dev.channelkit.auth;

import io.grpc.Attributes;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** What gRPC hands to call credentials, and what it gets back. */
final class FakeCall extends CallCredentials.MetadataApplier {
  private final List<Object> ends = new ArrayList<>();
  private CallOptions options = CallOptions.DEFAULT;
  private SecurityLevel level = SecurityLevel.PRIVACY_AND_INTEGRITY;
  private Attributes attributes = Attributes.EMPTY;

  static FakeCall create() {
    return new FakeCall();
  }

  FakeCall options(CallOptions options) {
    this.options = options;
    return this;
  }

  FakeCall level(SecurityLevel level) {
    this.level = level;
    return this;
  }

  FakeCall attributes(Attributes attributes) {
    this.attributes = attributes;
    return this;
  }

  FakeCall applyTo(CallCredentials credentials) {
    return applyTo(credentials, Runnable::run);
  }

  FakeCall applyTo(CallCredentials credentials, Executor appExecutor) {
    credentials.applyRequestMetadata(
        new CallCredentials.RequestInfo() {
          @Override
          public MethodDescriptor<?, ?> getMethodDescriptor() {
            return TextServer.UNARY;
          }

          @Override
          public CallOptions getCallOptions() {
            return options;
          }

          @Override
          public SecurityLevel getSecurityLevel() {
            return level;
          }

          @Override
          public String getAuthority() {
            return "host.example";
          }

          @Override
          public Attributes getTransportAttrs() {
            return attributes;
          }
        },
        appExecutor,
        this);
    return this;
  }

  @Override
  public synchronized void apply(Metadata headers) {
    ends.add(headers);
  }

  @Override
  public synchronized void fail(Status status) {
    ends.add(status);
  }

  synchronized boolean ended() {
    return !ends.isEmpty();
  }

  /** The one end; anything else is a fault. */
  private synchronized Object end() {
    if (ends.size() != 1) {
      throw new AssertionError("the applier was completed " + ends.size() + " times: " + ends);
    }
    return ends.get(0);
  }

  Metadata headers() {
    if (end() instanceof Metadata headers) {
      return headers;
    }
    throw new AssertionError("failed: " + end());
  }

  String token() {
    List<String> values = new ArrayList<>();
    Iterable<String> all = headers().getAll(IssuedToken.AUTHORIZATION);
    if (all != null) {
      all.forEach(values::add);
    }
    if (values.size() != 1) {
      throw new AssertionError("authorization values: " + values.size());
    }
    return values.get(0);
  }

  Status status() {
    if (end() instanceof Status status) {
      return status;
    }
    throw new AssertionError("not failed but given headers");
  }
}
