package dev.channelkit.auth;

import io.grpc.Attributes;
import io.grpc.CallCredentials.RequestInfo;
import io.grpc.Grpc;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** May a secret go over this connection? The one place that touches gRPC's types for it. */
final class TransportSecurity {
  private TransportSecurity() {}

  static boolean isPrivate(RequestInfo info) {
    return info.getSecurityLevel() == SecurityLevel.PRIVACY_AND_INTEGRITY;
  }

  static boolean isLoopback(RequestInfo info) {
    Attributes attributes = info.getTransportAttrs();
    SocketAddress remote =
        attributes == null ? null : attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote instanceof InetSocketAddress inet
        && inet.getAddress() != null
        && inet.getAddress().isLoopbackAddress();
  }

  static Status refusal(RequestInfo info, boolean loopbackAllowed) {
    @Nullable SecurityLevel level = info.getSecurityLevel();
    return Status.UNAUTHENTICATED.withDescription(
        "channelkit credentials: refused to send a bearer token to "
            + info.getAuthority()
            + " over a connection that is not encrypted (security level "
            + level
            + "): use TLS"
            + (loopbackAllowed
                ? "; plaintext is allowed to a loopback address only, and the connection does not"
                    + " lead to one"
                : ", or for a server on this machine set allowPlaintextToLoopback(true)"));
  }
}
