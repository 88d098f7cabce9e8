package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StackOrderTest {
  private static final List<String> OUTERMOST_FIRST =
      List.of(
          "out1", "out2", "liveness", "memo", "coalescer", "prefetch", "credentials", "in1", "in2");

  private final List<String> log = new CopyOnWriteArrayList<>();
  private TextServer server;

  @BeforeEach
  void start() throws Exception {
    server = new TextServer();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  @Test
  @DisplayName("D2: the DSL speaks outermost first, for outgoing operations and incoming events")
  void D2_the_order_is_fixed_by_the_stack_for_both_directions() {
    Channel channel = full().applyTo(server.channel());

    assertThat(call(channel)).isEqualTo("hello");

    assertOrder();
  }

  @Test
  @DisplayName("D2: as one interceptor on a channel builder the order is the same")
  void D2_the_order_is_the_same_as_one_interceptor() {
    Channel channel =
        server.closedLater(server.channelBuilder().intercept(full().interceptor()).build());

    assertThat(call(channel)).isEqualTo("hello");

    assertOrder();
  }

  @Test
  void other_interceptors_of_the_channel_builder_stay_outside_or_inside_of_the_whole_stack() {
    Channel channel =
        server.closedLater(
            server
                .channelBuilder()
                .intercept(new Recorder("added first", log))
                .intercept(stackOf("x").interceptor())
                .intercept(new Recorder("added last", log))
                .build());

    call(channel);

    assertThat(log).startsWith("added last newCall", "x newCall", "added first newCall");
  }

  @Test
  @DisplayName("D3: options changed by a part reach the parts below it and the channel")
  void D3_options_pass_down_the_chain() {
    CallOptions.Key<String> key = CallOptions.Key.create("test");
    List<String> seen = new ArrayList<>();
    InterceptorStack stack =
        InterceptorStack.builder()
            .outermost(
                rewriting(options -> options.withOption(key, "a")),
                rewriting(options -> options.withOption(key, options.getOption(key) + "b")))
            .innermost(
                rewriting(
                    options -> {
                      seen.add(options.getOption(key));
                      return options;
                    }))
            .build();

    call(stack.applyTo(server.channel()));

    assertThat(seen).containsExactly("ab");
  }

  @Test
  @DisplayName("C14: a wrapping channel returns the authority of its delegate")
  void the_authority_is_the_one_of_the_channel() {
    Channel channel = server.closedLater(server.channelBuilder().overrideAuthority("a.b").build());

    assertThat(full().applyTo(channel).authority()).isEqualTo("a.b");
    List<String> seenByUser = new ArrayList<>();
    InterceptorStack stack =
        InterceptorStack.builder()
            .outermost(
                new ClientInterceptor() {
                  @Override
                  public <Q, R> ClientCall<Q, R> interceptCall(
                      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
                    seenByUser.add(next.authority());
                    return next.newCall(method, options);
                  }
                })
            .innermost(new Recorder("x", log))
            .build();
    call(stack.applyTo(channel));
    assertThat(seenByUser).containsExactly("a.b");
  }

  @Test
  void an_empty_stack_is_the_channel_itself() {
    Channel channel = server.channel();

    assertThat(InterceptorStack.builder().build().applyTo(channel)).isSameAs(channel);
  }

  @Test
  void the_text_shows_the_chain_outermost_first() {
    assertThat(full())
        .hasToString(
            "InterceptorStack[outermost(Recorder) -> outermost(Recorder) -> liveness -> memo ->"
                + " coalescer -> prefetch -> credentials -> innermost(Recorder) ->"
                + " innermost(Recorder) -> channel]");
  }

  private void assertOrder() {
    List<String> innermostFirst = new ArrayList<>(OUTERMOST_FIRST);
    Collections.reverse(innermostFirst);
    for (String outgoing : List.of("newCall", "start", "sendMessage", "halfClose")) {
      assertThat(log.stream().filter(each -> each.endsWith(" " + outgoing)).toList())
          .isEqualTo(suffixed(OUTERMOST_FIRST, outgoing));
    }
    for (String incoming : List.of("onHeaders", "onMessage", "onClose")) {
      assertThat(log.stream().filter(each -> each.endsWith(" " + incoming)).toList())
          .isEqualTo(suffixed(innermostFirst, incoming));
    }
  }

  private static List<String> suffixed(List<String> names, String suffix) {
    return names.stream().map(name -> name + " " + suffix).toList();
  }

  /** Every place taken, by builder methods in an order unlike the chain's. */
  private InterceptorStack full() {
    List<Slot> parts = new ArrayList<>(Arrays.asList(Slot.values()));
    parts.removeAll(List.of(Slot.OUTERMOST, Slot.INNERMOST));
    Collections.reverse(parts);
    InterceptorStack.Builder builder = InterceptorStack.builder().innermost(recorder("in1"));
    for (Slot slot : parts) {
      builder.part(FakePart.in(slot, recorder(slot.partName())));
    }
    return builder
        .outermost(recorder("out1"))
        .innermost(recorder("in2"))
        .outermost(recorder("out2"))
        .build();
  }

  private InterceptorStack stackOf(String name) {
    return InterceptorStack.builder().outermost(recorder(name)).build();
  }

  private Recorder recorder(String name) {
    return new Recorder(name, log);
  }

  private static String call(Channel channel) {
    return ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, CallOptions.DEFAULT, "hello");
  }

  private static ClientInterceptor rewriting(java.util.function.UnaryOperator<CallOptions> change) {
    return new ClientInterceptor() {
      @Override
      public <Q, R> ClientCall<Q, R> interceptCall(
          MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return next.newCall(method, change.apply(options));
      }
    };
  }
}
