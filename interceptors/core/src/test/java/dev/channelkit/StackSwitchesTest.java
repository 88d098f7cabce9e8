package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.event.LogCapture;
import dev.channelkit.event.StackEventListener;
import dev.channelkit.event.StackEventListener.TokenRejected;
import dev.channelkit.event.StackEvents;
import io.grpc.CallOptions;
import io.grpc.stub.ClientCalls;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StackSwitchesTest {
  private final Map<String, String> properties = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> log = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({
    "LIVENESS, liveness",
    "MEMO, memo",
    "COALESCER, coalescer",
    "PREFETCH, prefetch",
  })
  void each_switchable_part_has_a_property_and_a_variable(Slot slot, String name) {
    properties.put("channelkit." + name + ".enabled", "false");
    assertThat(stack(slot))
        .hasToString(
            "InterceptorStack[channel; off: "
                + name
                + " (system property channelkit."
                + name
                + ".enabled is false), credentials (not configured)]");

    properties.clear();
    environment.put("CHANNELKIT_" + slot.name() + "_ENABLED", "FALSE");
    assertThat(stack(slot))
        .hasToString(
            "InterceptorStack[channel; off: "
                + name
                + " (environment variable CHANNELKIT_"
                + slot.name()
                + "_ENABLED is false), credentials (not configured)]");
  }

  @Test
  void the_property_comes_before_the_variable() {
    environment.put("CHANNELKIT_MEMO_ENABLED", "false");
    properties.put("channelkit.memo.enabled", " True ");

    assertThat(stack(Slot.MEMO))
        .hasToString("InterceptorStack[memo -> channel; off: credentials (not configured)]");
  }

  @Test
  void nothing_set_means_on_and_credentials_cannot_be_switched_off() {
    properties.put("channelkit.credentials.enabled", "false");
    environment.put("CHANNELKIT_CREDENTIALS_ENABLED", "false");

    assertThat(stack(Slot.CREDENTIALS)).hasToString("InterceptorStack[credentials -> channel]");
    assertThat(stack(Slot.LIVENESS))
        .hasToString("InterceptorStack[liveness -> channel; off: credentials (not configured)]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "yes", "treu", "tok3n-pasted-here"})
  void a_value_that_does_not_parse_turns_the_part_off_with_one_warning_that_names_the_variable(
      String value) {
    environment.put("CHANNELKIT_PREFETCH_ENABLED", value);
    try (LogCapture capture = new LogCapture("channelkit.stack")) {
      assertThat(stack(Slot.PREFETCH))
          .hasToString(
              "InterceptorStack[channel; off: prefetch (environment variable"
                  + " CHANNELKIT_PREFETCH_ENABLED is neither true nor false), credentials (not configured)]");
      assertThat(capture.records()).hasSize(1);
      LogRecord warning = capture.records().get(0);
      assertThat(MessageFormat.format(warning.getMessage(), warning.getParameters()))
          .contains("CHANNELKIT_PREFETCH_ENABLED", "prefetch")
          .doesNotContain("tok3n");
    }
  }

  @Test
  void a_switch_that_cannot_be_read_turns_the_part_off_and_build_goes_on() {
    KillSwitches locked =
        new KillSwitches(
            name -> {
              throw new SecurityException("access denied");
            },
            environment::get);
    try (LogCapture capture = new LogCapture("channelkit.stack")) {
      assertThat(locked.whyOff(Slot.MEMO))
          .isEqualTo("system property channelkit.memo.enabled cannot be read");
      assertThat(capture.records()).hasSize(1);
      LogRecord warning = capture.records().get(0);
      assertThat(MessageFormat.format(warning.getMessage(), warning.getParameters()))
          .contains(
              "channelkit.memo.enabled", "SecurityException", "the memo of this stack is off");
    }
    KillSwitches halfLocked =
        new KillSwitches(
            properties::get,
            name -> {
              throw new SecurityException("access denied");
            });
    assertThat(halfLocked.whyOff(Slot.MEMO))
        .isEqualTo("environment variable CHANNELKIT_MEMO_ENABLED cannot be read");
  }

  @Test
  void a_part_that_is_off_sees_no_call_and_reports_no_event() throws Exception {
    properties.put("channelkit.memo.enabled", "false");
    StackEvents events = new StackEvents();
    List<TokenRejected> heard = new ArrayList<>();
    InterceptorStack stack =
        InterceptorStack.builder()
            .killSwitches(new KillSwitches(properties::get, environment::get))
            .part(FakePart.in(Slot.MEMO, new Recorder("memo", log), events))
            .eventListener(
                new StackEventListener() {
                  @Override
                  public void onTokenRejected(TokenRejected event) {
                    heard.add(event);
                  }
                })
            .build();

    try (TextServer server = new TextServer()) {
      call(stack, server, CallOptions.DEFAULT);
    }
    events.emit(new TokenRejected(1));

    assertThat(log).isEmpty();
    assertThat(heard).isEmpty();
  }

  @Test
  void switches_are_read_at_build_and_never_again() {
    InterceptorStack stack = stack(Slot.MEMO);
    properties.put("channelkit.memo.enabled", "false");

    assertThat(stack)
        .hasToString("InterceptorStack[memo -> channel; off: credentials (not configured)]");
    assertThat(stack.toBuilder().build().toString()).startsWith("InterceptorStack[channel; off:");
  }

  @Test
  void the_switches_of_the_process_are_its_properties_and_its_environment() {
    System.setProperty("channelkit.coalescer.enabled", "false");
    try {
      assertThat(KillSwitches.ofProcess().whyOff(Slot.COALESCER))
          .isEqualTo("system property channelkit.coalescer.enabled is false");
    } finally {
      System.clearProperty("channelkit.coalescer.enabled");
    }
    assertThat(KillSwitches.ofProcess().whyOff(Slot.COALESCER)).isNull();
  }

  @Test
  void a_call_option_keeps_a_part_off_one_call() throws Exception {
    InterceptorStack stack =
        InterceptorStack.builder()
            .outermost(new Recorder("out", log))
            .part(FakePart.in(Slot.MEMO, new Recorder("memo", log)))
            .build();
    try (TextServer server = new TextServer()) {
      call(stack, server, CallOptions.DEFAULT.withOption(FakePart.CALL_SWITCH, false));
      assertThat(log).contains("out newCall").doesNotContain("memo newCall");

      call(stack, server, CallOptions.DEFAULT.withOption(FakePart.CALL_SWITCH, true));
      assertThat(log).contains("memo newCall");
    }
  }

  private InterceptorStack stack(Slot slot) {
    return InterceptorStack.builder()
        .killSwitches(new KillSwitches(properties::get, environment::get))
        .part(FakePart.in(slot, new Recorder(slot.partName(), log)))
        .build();
  }

  private static void call(InterceptorStack stack, TextServer server, CallOptions options) {
    assertThat(
            ClientCalls.blockingUnaryCall(
                stack.applyTo(server.channel()), TextServer.UNARY, options, "hello"))
        .isEqualTo("hello");
  }
}
