package dev.channelkit.clienttests;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.sparkproject.io.grpc.CallOptions;
import org.sparkproject.io.grpc.Channel;
import org.sparkproject.io.grpc.ClientCall;
import org.sparkproject.io.grpc.ClientInterceptor;
import org.sparkproject.io.grpc.MethodDescriptor;

/** Counts calls by method: written by a user on the client's own gRPC, put into our stack. */
final class SeenCalls implements ClientInterceptor {
  private final Map<String, LongAdder> byMethod = new ConcurrentHashMap<>();

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    byMethod.computeIfAbsent(method.getBareMethodName(), name -> new LongAdder()).increment();
    return next.newCall(method, options);
  }

  Map<String, LongAdder> byMethod() {
    return byMethod;
  }
}
