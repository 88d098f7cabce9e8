package dev.channelkit.examples.bench;

import dev.channelkit.InterceptorStack;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A healthy unary call in process, bare and behind interceptors. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CallBenchmark {
  private static final MethodDescriptor<byte[], byte[]> METHOD = Bytes.method("bench.Echo/Echo");

  private final byte[] message = new byte[64];
  private final String name = "bench-" + UUID.randomUUID();
  private final Server server = startServer(name);
  private final ManagedChannel bare =
      InProcessChannelBuilder.forName(name).directExecutor().build();
  private final Channel one = ClientInterceptors.interceptForward(bare, new Forwarding());
  private final Channel three =
      ClientInterceptors.interceptForward(
          bare, new Forwarding(), new Forwarding(), new Forwarding());
  private final InterceptorStack stack =
      InterceptorStack.builder()
          .outermost(new Forwarding(), new Forwarding(), new Forwarding())
          .credentials(WarmCredentials.cached())
          .build();
  private final Channel stacked = stack.applyTo(bare);

  @Benchmark
  public byte[] bare() {
    return call(bare);
  }

  @Benchmark
  public byte[] oneForwarding() {
    return call(one);
  }

  @Benchmark
  public byte[] threeForwarding() {
    return call(three);
  }

  @Benchmark
  public byte[] stack() {
    return call(stacked);
  }

  @TearDown
  public void close() {
    stack.close();
    bare.shutdownNow();
    server.shutdownNow();
  }

  private byte[] call(Channel channel) {
    return ClientCalls.blockingUnaryCall(channel, METHOD, CallOptions.DEFAULT, message);
  }

  private static Server startServer(String name) {
    try {
      return InProcessServerBuilder.forName(name)
          .directExecutor()
          .addService(
              ServerServiceDefinition.builder("bench.Echo")
                  .addMethod(
                      METHOD,
                      ServerCalls.asyncUnaryCall(
                          (request, observer) -> {
                            observer.onNext(request);
                            observer.onCompleted();
                          }))
                  .build())
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
