package dev.channelkit;

import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The switches by which an operator takes a part out of every stack that is built from then on.
 *
 * <p>The system property {@code channelkit.<part>.enabled} comes first, then the environment
 * variable {@code CHANNELKIT_<PART>_ENABLED}; the words are {@code true} and {@code false} in any
 * case. Anything else turns the part off: whoever touches a switch in a hurry wants less of the
 * part, not more.
 */
final class KillSwitches {
  private static final System.Logger LOGGER = System.getLogger("channelkit.stack");

  private final UnaryOperator<@Nullable String> properties;
  private final UnaryOperator<@Nullable String> environment;

  KillSwitches(
      UnaryOperator<@Nullable String> properties, UnaryOperator<@Nullable String> environment) {
    this.properties = properties;
    this.environment = environment;
  }

  /** Those of this process. */
  @SuppressWarnings("NullAway") // the lookups are only ever given a name
  static KillSwitches ofProcess() {
    return new KillSwitches(System::getProperty, System::getenv);
  }

  /** Why a part is off; null when it is on. */
  @Nullable String whyOff(Slot slot) {
    if (!slot.isSwitchable()) {
      return null;
    }
    String property = "channelkit." + slot.partName() + ".enabled";
    String variable = "CHANNELKIT_" + slot.name() + "_ENABLED";
    String name = "system property " + property;
    try {
      String value = properties.apply(property);
      if (value == null) {
        name = "environment variable " + variable;
        value = environment.apply(variable);
      }
      return value == null ? null : verdict(slot, name, value);
    } catch (RuntimeException thrown) {
      // A security manager, for one. Whether somebody has switched the part off cannot be told.
      LOGGER.log(
          Level.WARNING,
          "The {0} cannot be read ({1}), so the {2} of this stack is off",
          name,
          thrown.getClass().getName(),
          slot.partName());
      return name + " cannot be read";
    }
  }

  private static @Nullable String verdict(Slot slot, String name, String value) {
    String word = value.strip().toLowerCase(Locale.ROOT);
    if (word.equals("true")) {
      return null;
    }
    if (word.equals("false")) {
      return name + " is false";
    }
    // Not the value: it may be anything that was pasted into the wrong place.
    LOGGER.log(
        Level.WARNING,
        "The {0} is neither true nor false, so the {1} of this stack is off",
        name,
        slot.partName());
    return name + " is neither true nor false";
  }
}
