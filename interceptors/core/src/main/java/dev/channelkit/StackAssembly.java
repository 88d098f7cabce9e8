package dev.channelkit;

import dev.channelkit.call.CallRuntime;
import dev.channelkit.event.EventSource;
import dev.channelkit.event.EventSource.Registration;
import dev.channelkit.event.StackEventListener;
import io.grpc.ClientInterceptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks a configuration as a whole and puts it in order. */
final class StackAssembly {
  /** The parts that the builder has a method for; {@code toString} tells when one is not used. */
  private static final Set<Slot> OFFERED = EnumSet.of(Slot.CREDENTIALS);

  private StackAssembly() {}

  static InterceptorStack assemble(InterceptorStack.Builder configuration) {
    if (!configuration.nullOptions.isEmpty()) {
      throw new NullPointerException(configuration.nullOptions.get(0) + " must not be null");
    }
    List<ClientInterceptor> outermost = nonNull("outermost", configuration.outermost);
    List<ClientInterceptor> innermost = nonNull("innermost", configuration.innermost);
    List<StackEventListener> listeners = nonNull("eventListener", configuration.eventListeners);
    rejectTwins(configuration.parts);
    rejectSharedInstance(outermost, innermost);
    rejectMisplaced(Slot.OUTERMOST, outermost, configuration.parts);
    rejectMisplaced(Slot.INNERMOST, innermost, configuration.parts);
    rejectTwice(listeners);

    Map<Slot, String> off = new EnumMap<>(Slot.class);
    OFFERED.forEach(slot -> off.put(slot, "not configured"));
    List<StackPart> chain = new ArrayList<>();
    outermost.forEach(interceptor -> chain.add(StackPart.own(Slot.OUTERMOST, interceptor)));
    configuration.parts.stream()
        .sorted(Comparator.comparing(StackPart::slot))
        .forEach(
            part -> {
              String why = configuration.killSwitches.whyOff(part.slot());
              if (why == null) {
                chain.add(part);
                off.remove(part.slot());
              } else {
                off.put(part.slot(), why);
              }
            });
    innermost.forEach(interceptor -> chain.add(StackPart.own(Slot.INNERMOST, interceptor)));

    CallRuntime runtime =
        configuration.runtime != null ? configuration.runtime : CallRuntime.shared();
    StackInterceptor interceptor = new StackInterceptor(List.copyOf(chain), runtime);
    return new InterceptorStack(
        configuration, interceptor, text(interceptor, off), register(listeners, chain));
  }

  private static <T> List<T> nonNull(String option, List<@Nullable T> given) {
    List<T> checked = new ArrayList<>();
    for (T each : given) {
      if (each == null) {
        throw new NullPointerException(
            option + " must not be null, but number " + (checked.size() + 1) + " is");
      }
      checked.add(each);
    }
    return checked;
  }

  private static void rejectTwins(List<StackPart> parts) {
    for (int i = 0; i < parts.size(); i++) {
      for (StackPart other : parts.subList(0, i)) {
        StackPart part = parts.get(i);
        if (part.slot() == other.slot()) {
          throw new IllegalStateException(
              part.option().equals(other.option())
                  ? part.option() + "(...) was set twice; a stack has one: remove one of the two"
                  : conflict(other.option(), part.option(), "fill the same place of the stack"));
        }
      }
    }
  }

  private static void rejectSharedInstance(
      List<ClientInterceptor> outermost, List<ClientInterceptor> innermost) {
    for (ClientInterceptor each : outermost) {
      if (innermost.stream().anyMatch(other -> other == each)) {
        throw new IllegalStateException(
            conflict("outermost", "innermost", "hold the same " + each.getClass().getName())
                + "; it would see each call twice");
      }
    }
  }

  private static void rejectMisplaced(
      Slot where, List<ClientInterceptor> own, List<StackPart> parts) {
    for (ClientInterceptor each : own) {
      for (StackPart part : parts) {
        if (part.interceptor() == each) {
          throw new IllegalStateException(
              conflict(part.option(), where.partName(), "hold the same interceptor")
                  + "; leave it to "
                  + part.option()
                  + "(...)");
        }
        if (each instanceof StackInterceptor stack) {
          rejectOutOfOrder(where, stack, part);
        }
      }
    }
  }

  private static void rejectOutOfOrder(Slot where, StackInterceptor nested, StackPart part) {
    for (StackPart inner : nested.parts()) {
      boolean own = inner.slot() == Slot.OUTERMOST || inner.slot() == Slot.INNERMOST;
      int order = inner.slot().compareTo(part.slot());
      if (!own && (where == Slot.OUTERMOST ? order >= 0 : order <= 0)) {
        throw new IllegalStateException(
            conflict(
                    where.partName(),
                    part.option(),
                    "are out of order: the former holds a stack with " + inner.option() + "(...)")
                + "; put both into one stack");
      }
    }
  }

  private static void rejectTwice(List<StackEventListener> listeners) {
    for (int i = 0; i < listeners.size(); i++) {
      StackEventListener listener = listeners.get(i);
      if (listeners.subList(0, i).stream().anyMatch(other -> other == listener)) {
        throw new IllegalStateException(
            "eventListener(...) was given the same "
                + listener.getClass().getName()
                + " twice; it would hear each event twice: remove one of the two");
      }
    }
  }

  private static String conflict(String one, String other, String what) {
    return one + "(...) and " + other + "(...) " + what;
  }

  private static List<Registration> register(
      List<StackEventListener> listeners, List<StackPart> chain) {
    List<Registration> registrations = new ArrayList<>();
    for (StackPart part : chain) {
      EventSource events = part.events();
      if (events != null) {
        listeners.forEach(listener -> registrations.add(events.addEventListener(listener)));
      }
    }
    return registrations;
  }

  private static String text(StackInterceptor chain, Map<Slot, String> off) {
    StringBuilder text = new StringBuilder("InterceptorStack[").append(chain);
    String separator = "; off: ";
    for (Map.Entry<Slot, String> each : off.entrySet()) {
      text.append(separator)
          .append(each.getKey().partName())
          .append(" (")
          .append(each.getValue())
          .append(')');
      separator = ", ";
    }
    return text.append(']').toString();
  }
}
