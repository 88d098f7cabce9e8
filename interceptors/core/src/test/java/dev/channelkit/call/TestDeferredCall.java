package dev.channelkit.call;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A deferred call whose hooks and decisions are the test's. */
final class TestDeferredCall extends DeferredClientCall<String, String> {
  final List<Status> abandoned = new ArrayList<>();
  Consumer<Metadata> atStart = headers -> {};
  Consumer<String> atFirstMessage = message -> {};
  String waitingFor = "an access token";

  TestDeferredCall(CallOptions options, CallRuntime runtime) {
    super(options, runtime);
  }

  @Override
  protected void onStart(Metadata headers) {
    atStart.accept(headers);
  }

  @Override
  protected void onFirstMessage(String message) {
    atFirstMessage.accept(message);
  }

  @Override
  protected synchronized void onAbandoned(Status status) {
    abandoned.add(status);
  }

  @Override
  protected String waitingFor() {
    return waitingFor;
  }

  boolean go(Supplier<ClientCall<String, String>> delegate) {
    return proceed(delegate);
  }

  boolean go(ClientCall<String, String> delegate) {
    return proceed(() -> delegate);
  }

  boolean stop(Status status) {
    return fail(status, new Metadata());
  }

  boolean stop(Status status, Metadata trailers) {
    return fail(status, trailers);
  }
}
