package dev.channelkit.testing;

import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one call looked like from outside, in a form that two runs can be compared in. */
record Outcome(
    String seenByCaller,
    int closes,
    @Nullable Status status,
    Map<String, List<String>> headers,
    Map<String, List<String>> trailers,
    List<String> messages,
    Map<String, List<String>> requestHeaders,
    boolean startedBelow,
    @Nullable Throwable thrownByStart) {

  /** These differ from call to call on a bare channel too. */
  private static final Set<String> VOLATILE_HEADERS = Set.of("grpc-timeout", "grpc-trace-bin");

  /** The values by name; empty when there is no metadata. */
  static Map<String, List<String>> values(@Nullable Metadata metadata) {
    Map<String, List<String>> values = new TreeMap<>();
    if (metadata == null) {
      return values;
    }
    for (String name : metadata.keys()) {
      if (VOLATILE_HEADERS.contains(name)) {
        continue;
      }
      List<String> of = new ArrayList<>();
      if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
        Iterable<byte[]> all =
            metadata.getAll(Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER));
        if (all != null) {
          all.forEach(bytes -> of.add(Arrays.toString(bytes)));
        }
      } else {
        Iterable<String> all =
            metadata.getAll(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
        if (all != null) {
          all.forEach(of::add);
        }
      }
      values.put(name, of);
    }
    return values;
  }
}
