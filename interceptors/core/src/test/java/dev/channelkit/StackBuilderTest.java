package dev.channelkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.auth.Token;
import dev.channelkit.event.StackEventListener;
import dev.channelkit.event.StackEventListener.TokenRejected;
import dev.channelkit.event.StackEvents;
import io.grpc.ClientInterceptor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackBuilderTest {
  private final List<String> log = new ArrayList<>();
  private final Recorder one = new Recorder("one", log);
  private final Recorder two = new Recorder("two", log);

  @Test
  void a_part_that_is_set_twice_is_refused() {
    InterceptorStack.Builder builder =
        InterceptorStack.builder()
            .part(FakePart.in(Slot.MEMO, one))
            .part(FakePart.in(Slot.MEMO, two));

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessage("memo(...) was set twice; a stack has one: remove one of the two");
  }

  @Test
  void credentials_set_twice_or_at_an_end_as_well_are_refused_by_both_names() {
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(() -> Token.withoutExpiry("x")).build();

    assertThatIllegalStateException()
        .isThrownBy(
            InterceptorStack.builder().credentials(credentials).credentials(credentials)::build)
        .withMessageContaining("credentials(...) was set twice");
    assertThatIllegalStateException()
        .isThrownBy(
            InterceptorStack.builder().credentials(credentials).outermost(credentials.interceptor())
                ::build)
        .withMessageContainingAll("credentials(...)", "outermost(...)");
    assertThatIllegalStateException()
        .isThrownBy(
            InterceptorStack.builder().innermost(credentials.interceptor()).credentials(credentials)
                ::build)
        .withMessageContainingAll("credentials(...)", "innermost(...)");
    assertThatNullPointerException()
        .isThrownBy(InterceptorStack.builder().credentials(null)::build)
        .withMessage("credentials must not be null");
  }

  @Test
  void two_options_for_one_place_are_refused_by_both_names() {
    InterceptorStack.Builder builder =
        InterceptorStack.builder()
            .part(FakePart.in(Slot.MEMO, one))
            .part(new StackPart(Slot.MEMO, "otherMemo", two, null, null));

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessageContainingAll("memo(...)", "otherMemo(...)");
  }

  @Test
  void one_interceptor_at_both_ends_is_refused_by_both_names() {
    InterceptorStack.Builder builder =
        InterceptorStack.builder().outermost(one).innermost(two, one);

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessageContainingAll("outermost(...)", "innermost(...)", Recorder.class.getName());
  }

  @Test
  void the_interceptor_of_a_part_at_an_end_as_well_is_refused_by_both_names() {
    assertThatIllegalStateException()
        .isThrownBy(
            InterceptorStack.builder().part(FakePart.in(Slot.MEMO, one)).outermost(two, one)::build)
        .withMessageContainingAll("memo(...)", "outermost(...)");
    assertThatIllegalStateException()
        .isThrownBy(
            InterceptorStack.builder().innermost(one).part(FakePart.in(Slot.MEMO, one))::build)
        .withMessageContainingAll("memo(...)", "innermost(...)");
  }

  @Test
  void a_stack_inside_a_stack_is_refused_where_a_part_would_come_out_of_order() {
    ClientInterceptor memo =
        InterceptorStack.builder().part(FakePart.in(Slot.MEMO, one)).build().interceptor();
    StackPart credentials = FakePart.in(Slot.CREDENTIALS, two);
    StackPart liveness = FakePart.in(Slot.LIVENESS, two);
    StackPart memoToo = FakePart.in(Slot.MEMO, two);

    assertThatIllegalStateException()
        .isThrownBy(InterceptorStack.builder().outermost(memo).part(memoToo)::build)
        .withMessageContainingAll("outermost(...)", "memo(...)");
    assertThatIllegalStateException()
        .isThrownBy(InterceptorStack.builder().outermost(memo).part(liveness)::build)
        .withMessageContainingAll("outermost(...)", "liveness(...)", "memo(...)");
    assertThatIllegalStateException()
        .isThrownBy(InterceptorStack.builder().innermost(memo).part(credentials)::build)
        .withMessageContainingAll("innermost(...)", "credentials(...)", "memo(...)");
    assertThat(InterceptorStack.builder().outermost(memo).part(credentials).build()).isNotNull();
    assertThat(InterceptorStack.builder().innermost(memo).part(liveness).build()).isNotNull();
  }

  @Test
  void one_listener_twice_is_refused() {
    StackEventListener listener = new StackEventListener() {};

    assertThatIllegalStateException()
        .isThrownBy(
            InterceptorStack.builder().eventListener(listener).eventListener(listener)::build)
        .withMessageContaining("eventListener(...)")
        .withMessageContaining("twice");
  }

  @Test
  void a_null_fails_at_build_with_the_name_of_its_option() {
    assertThatNullPointerException()
        .isThrownBy(InterceptorStack.builder().outermost(one, null)::build)
        .withMessage("outermost must not be null, but number 2 is");
    assertThatNullPointerException()
        .isThrownBy(InterceptorStack.builder().innermost((ClientInterceptor) null)::build)
        .withMessage("innermost must not be null, but number 1 is");
    assertThatNullPointerException()
        .isThrownBy(InterceptorStack.builder().outermost((ClientInterceptor[]) null)::build)
        .withMessage("outermost must not be null");
    assertThatNullPointerException()
        .isThrownBy(InterceptorStack.builder().eventListener(null)::build)
        .withMessageContaining("eventListener");
    assertThatNullPointerException()
        .isThrownBy(InterceptorStack.builder().runtime(null)::build)
        .withMessage("runtime must not be null");
    assertThatNullPointerException()
        .isThrownBy(() -> InterceptorStack.builder().build().applyTo(null))
        .withMessage("channel");
  }

  @Test
  void a_builder_and_what_it_built_never_share_state() {
    InterceptorStack.Builder builder = InterceptorStack.builder().outermost(one);
    InterceptorStack first = builder.build();
    String before = first.toString();

    builder.innermost(two);
    InterceptorStack second = builder.build();
    InterceptorStack third = first.toBuilder().innermost(two).build();

    assertThat(first).hasToString(before);
    assertThat(first.toBuilder().build()).hasToString(before);
    assertThat(second.toString()).isNotEqualTo(before);
    assertThat(third).hasToString(second.toString());
  }

  @Test
  void what_the_caller_does_to_its_array_changes_nothing() {
    ClientInterceptor[] mine = {one};
    InterceptorStack.Builder builder = InterceptorStack.builder().outermost(mine);

    mine[0] = null;

    assertThat(builder.build().toString()).contains("outermost(Recorder)");
  }

  @Test
  void listeners_hear_the_parts_from_build_to_close() {
    StackEvents events = new StackEvents();
    List<Object> heard = new ArrayList<>();
    InterceptorStack stack =
        InterceptorStack.builder()
            .part(FakePart.in(Slot.CREDENTIALS, one, events))
            .eventListener(rejections("a", heard))
            .eventListener(rejections("b", heard))
            .build();

    events.emit(new TokenRejected(1));
    assertThat(heard).containsExactly("a1", "b1");

    stack.close();
    stack.close();
    events.emit(new TokenRejected(2));
    assertThat(heard).containsExactly("a1", "b1");

    InterceptorStack again = stack.toBuilder().build();
    events.emit(new TokenRejected(3));
    assertThat(heard).containsExactly("a1", "b1", "a3", "b3");
    again.close();
  }

  private static StackEventListener rejections(String name, List<Object> heard) {
    return new StackEventListener() {
      @Override
      public void onTokenRejected(TokenRejected event) {
        heard.add(name + event.generation());
      }
    };
  }
}
