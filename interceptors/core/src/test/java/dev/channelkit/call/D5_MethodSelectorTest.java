package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("D5: methods are matched by their full name, in a set made once")
class D5_MethodSelectorTest {
  @Test
  void named_methods_match_and_others_do_not() {
    MethodSelector selector = MethodSelector.of("acme.A/Free", "acme.A/Close");

    assertThat(selector.matches(method("acme.A/Free"))).isTrue();
    assertThat(selector.matches(method("acme.A/Close"))).isTrue();
    assertThat(selector.matches(method("acme.A/Open"))).isFalse();
    assertThat(selector.matches(method("acme.B/Free"))).isFalse();
    assertThat(selector).hasToString("[acme.A/Close, acme.A/Free]");
  }

  @Test
  void no_names_match_nothing() {
    assertThat(MethodSelector.of().matches(method("acme.A/Free"))).isFalse();
  }

  @Test
  void names_are_copied() {
    List<String> names = new ArrayList<>(List.of("acme.A/Free"));
    MethodSelector selector = MethodSelector.of(names);
    names.add("acme.A/Close");

    assertThat(selector.matches(method("acme.A/Close"))).isFalse();
  }

  @Test
  void what_is_no_full_name_is_refused_with_the_form_that_is_expected() {
    for (String bad : List.of("", "Free", "/Free", "acme.A/")) {
      assertThatThrownBy(() -> MethodSelector.of(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + bad + "'")
          .hasMessageContaining("package.Service/Method");
    }
    assertThatThrownBy(() -> MethodSelector.of((String) null))
        .isInstanceOf(NullPointerException.class);
  }

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      return new byte[0];
    }
  }
}
