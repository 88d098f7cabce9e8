package com.example;

import dev.channelkit.InterceptorStack;
import dev.channelkit.spark.SparkConnect;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What a user of any other gRPC client writes. */
public final class Main {
  private static final MethodDescriptor<String, String> GREET =
      MethodDescriptor.newBuilder(new Text(), new Text())
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("com.example.Greeter/Greet")
          .build();

  public static void main(String[] args) throws Exception {
    Server server =
        InProcessServerBuilder.forName("greeter")
            .addService(
                ServerServiceDefinition.builder("com.example.Greeter")
                    .addMethod(
                        GREET,
                        ServerCalls.asyncUnaryCall(
                            (name, answer) -> {
                              answer.onNext("Hello " + name);
                              answer.onCompleted();
                            }))
                    .build())
            .build()
            .start();
    ManagedChannel channel = InProcessChannelBuilder.forName("greeter").build();
    InterceptorStack plain = InterceptorStack.builder().build();
    InterceptorStack spark = SparkConnect.stack().build();
    System.out.println(greet(plain.applyTo(channel), "core"));
    System.out.println(greet(spark.applyTo(channel), "spark"));
    channel.shutdownNow();
    server.shutdownNow();
  }

  private static String greet(Channel channel, String name) {
    return ClientCalls.blockingUnaryCall(channel, GREET, CallOptions.DEFAULT, name);
  }

  private Main() {}

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try (stream) {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
