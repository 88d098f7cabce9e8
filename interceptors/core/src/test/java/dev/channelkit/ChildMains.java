package dev.channelkit;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.Token;
import dev.channelkit.call.CallRuntime;
import dev.channelkit.event.StackEventListener;
import dev.channelkit.event.StackEvents;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** What the child JVMs of these tests run. */
final class ChildMains {
  private ChildMains() {}

  /** The first line of every user, in a process that may lack gRPC. */
  static final class Enters {
    public static void main(String[] arguments) {
      InterceptorStack.builder().build();
      System.out.println("built");
    }
  }

  /** Builds a plain stack in front of a channel that never connects. */
  static final class BuildsPlainStack {
    public static void main(String[] arguments) {
      Channel channel = plainStack().applyTo(new NeverConnected());
      System.out.println("built " + channel.authority());
    }
  }

  /** What the cold start must not do. */
  static final class TouchesNetty {
    public static void main(String[] arguments) throws ClassNotFoundException {
      Class.forName("io.grpc.netty.NettyChannelBuilder");
      BuildsPlainStack.main(arguments);
    }
  }

  /** Uses everything, closes nothing, and returns. */
  static final class ClosesNothing {
    @SuppressWarnings("resource")
    public static void main(String[] arguments) throws Exception {
      TextServer server = new TextServer();
      ManagedChannel managed = server.channelBuilder().build();
      InterceptorStack stack = plainStack();
      Channel broken = InterceptorStack.builder().outermost(new Broken()).build().applyTo(managed);
      System.out.println(
          ClientCalls.blockingUnaryCall(
              stack.applyTo(managed), TextServer.UNARY, CallOptions.DEFAULT, "answered"));
      try {
        ClientCalls.futureUnaryCall(
                broken.newCall(TextServer.UNARY, CallOptions.DEFAULT), "on our own threads")
            .get();
      } catch (ExecutionException expected) {
        System.out.println("failed");
      }
      CallRuntime.shared().scheduler().schedule(() -> {}, 1, TimeUnit.HOURS).isDone();
      long returned = System.nanoTime();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () ->
                      System.out.println(
                          "ended after " + (System.nanoTime() - returned) / 1_000_000 + " ms")));
    }
  }

  /** A runtime without Flight Recorder still has its events. */
  static final class Emits {
    public static void main(String[] arguments) {
      StackEvents events = new StackEvents();
      events.addEventListener(
          new StackEventListener() {
            @Override
            public void onTokenRejected(TokenRejected event) {
              System.out.println("heard " + event.generation());
            }
          });
      System.out.println(ModuleLayer.boot().findModule("jdk.jfr").isPresent());
      events.emit(new StackEventListener.TokenRejected(1));
    }
  }

  private static InterceptorStack plainStack() {
    return InterceptorStack.builder()
        .outermost(new Forwards())
        .credentials(
            CachedCallCredentials.builder(() -> Token.withoutExpiry("from-a-source")).build())
        .eventListener(new StackEventListener() {})
        .build();
  }

  private static final class Forwards implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {};
    }
  }

  private static final class Broken implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      throw new IllegalStateException("broken");
    }
  }

  private static final class NeverConnected extends Channel {
    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String authority() {
      return "never.connected";
    }
  }
}
