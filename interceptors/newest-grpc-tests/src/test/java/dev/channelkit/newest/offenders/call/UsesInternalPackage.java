package dev.channelkit.newest.offenders.call;

/** Breaks a rule of architecture on purpose. */
public interface UsesInternalPackage {
  io.grpc.internal.GrpcUtil used();
}
