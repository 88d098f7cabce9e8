package dev.channelkit.call;

import io.grpc.MethodDescriptor;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/** Full method names in a set made once, so that a call costs one lookup. */
final class NamedMethods implements MethodSelector {
  private final Set<String> names;

  private NamedMethods(Set<String> names) {
    this.names = names;
  }

  static NamedMethods of(Collection<String> fullMethodNames) {
    for (String name : fullMethodNames) {
      int slash = name.lastIndexOf('/');
      if (slash <= 0 || slash == name.length() - 1) {
        throw new IllegalArgumentException(
            "fullMethodNames: '"
                + name
                + "' is no full method name; expected package.Service/Method");
      }
    }
    return new NamedMethods(Set.copyOf(fullMethodNames));
  }

  @Override
  public boolean matches(MethodDescriptor<?, ?> method) {
    return names.contains(method.getFullMethodName());
  }

  @Override
  public String toString() {
    // Sorted: the order of an immutable set differs from one JVM to the next.
    return new TreeSet<>(names).toString();
  }
}
