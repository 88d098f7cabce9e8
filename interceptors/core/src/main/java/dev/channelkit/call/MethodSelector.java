package dev.channelkit.call;

import io.grpc.MethodDescriptor;
import java.util.Collection;
import java.util.List;

/**
 * Chooses methods, for the rules of the parts: which calls are exempt, which may be answered
 * locally.
 *
 * <p>Implementations are immutable and thread-safe, never block and never throw: a part may ask for
 * every call, on the caller's thread.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface MethodSelector {
  /**
   * Whether a rule holds for a method.
   *
   * @param method of a call; not null
   * @return true if the method is chosen
   */
  boolean matches(MethodDescriptor<?, ?> method);

  /**
   * Chooses methods by name. A method that is not named is not chosen.
   *
   * @param fullMethodNames as {@link MethodDescriptor#getFullMethodName()} gives them, for instance
   *     {@code package.Service/Method}; copied; an empty collection chooses nothing; neither it nor
   *     an element may be null
   * @return a selector whose {@code toString} lists the names; never null
   * @throws IllegalArgumentException if a name has no slash between service and method
   */
  static MethodSelector of(Collection<String> fullMethodNames) {
    return NamedMethods.of(fullMethodNames);
  }

  /**
   * Chooses methods by name, as {@link #of(Collection)} does.
   *
   * @param fullMethodNames not null, nor an element
   * @return a selector; never null
   * @throws IllegalArgumentException if a name has no slash between service and method
   */
  static MethodSelector of(String... fullMethodNames) {
    return NamedMethods.of(List.of(fullMethodNames));
  }
}
