package dev.channelkit.spark;

import static dev.channelkit.spark.DynamicSpark.request;
import static dev.channelkit.spark.SparkSessionsTest.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.call.SessionKey;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EncodedIdsTest {
  private static final SessionKey ANN = new SessionKey("ann", "s1");
  private static final byte[] REQUEST = request("ConfigRequest", "ann", "s1").toByteArray();

  @Test
  void the_last_of_several_sessions_counts() {
    byte[] second = request("ConfigRequest", "bob", "s2").toByteArray();

    assertThat(EncodedIds.sessionKey(join(REQUEST, second))).isEqualTo(new SessionKey("bob", "s2"));
  }

  @Test
  void user_contexts_merge() {
    byte[] contextWithoutUser = {0x12, 3, 0x12, 1, 'n'};

    byte[] contextWithEmptyUser = {0x12, 2, 0x0a, 0};

    assertThat(EncodedIds.sessionKey(join(REQUEST, contextWithoutUser))).isEqualTo(ANN);
    assertThat(EncodedIds.sessionKey(join(REQUEST, contextWithEmptyUser)))
        .isEqualTo(new SessionKey("", "s1"));
  }

  @Test
  void fields_in_any_order_are_found() {
    byte[] plan = {0x1a, 2, 9, 9};
    byte[] context = {0x12, 5, 0x0a, 3, 'a', 'n', 'n'};
    byte[] session = {0x0a, 2, 's', '1'};

    assertThat(EncodedIds.sessionKey(join(plan, context, plan, session))).isEqualTo(ANN);
  }

  @Test
  void every_proper_prefix_gives_a_key_of_its_whole_fields_or_nothing() {
    for (int length = 0; length < REQUEST.length; length++) {
      SessionKey key = EncodedIds.sessionKey(Arrays.copyOf(REQUEST, length));
      assertThat(key).isIn(null, new SessionKey("", "s1"));
    }
    assertThat(EncodedIds.sessionKey(REQUEST)).isEqualTo(ANN);
  }

  @Test
  void over_long_varints_are_read_like_protobuf_does_and_eleven_bytes_are_a_fault() {
    byte[] tagInThreeBytes = {(byte) 0x8a, (byte) 0x80, 0, 2, 's', '2'};
    assertThat(EncodedIds.sessionKey(join(REQUEST, tagInThreeBytes)))
        .isEqualTo(new SessionKey("ann", "s2"));

    byte[] tenBytes = new byte[12];
    tenBytes[0] = 0x18;
    Arrays.fill(tenBytes, 1, 10, (byte) 0xff);
    tenBytes[10] = 1;
    assertThat(EncodedIds.sessionKey(join(REQUEST, Arrays.copyOf(tenBytes, 11)))).isEqualTo(ANN);

    Arrays.fill(tenBytes, 1, 11, (byte) 0xff);
    assertThat(EncodedIds.sessionKey(join(REQUEST, tenBytes))).isNull();
  }

  @Test
  void a_known_number_with_another_wire_type_is_an_unknown_field() {
    byte[] sessionAsVarint = {0x08, 5};
    byte[] contextAsFixed32 = {0x15, 1, 2, 3, 4};

    assertThat(EncodedIds.sessionKey(join(REQUEST, sessionAsVarint, contextAsFixed32)))
        .isEqualTo(ANN);
    assertThat(EncodedIds.sessionKey(sessionAsVarint)).isNull();
  }

  @Test
  void unknown_groups_are_jumped_over_and_ill_formed_ones_are_a_fault() {
    byte[] group = {0x1b, 0x23, 0x0a, 1, 'x', 0x24, 0x1c};
    byte[] wrongEnd = {0x1b, 0x24};
    byte[] noEnd = {0x1b, 0x08, 1};
    byte[] noStart = {0x1c};

    assertThat(EncodedIds.sessionKey(join(REQUEST, group))).isEqualTo(ANN);
    assertThat(EncodedIds.sessionKey(join(REQUEST, wrongEnd))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, noEnd))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, noStart))).isNull();
  }

  @Test
  void groups_nested_a_million_deep_end_in_a_fault_and_not_in_a_stack_overflow() {
    byte[] deep = new byte[1_000_000];
    Arrays.fill(deep, (byte) 0x1b);

    assertThat(EncodedIds.sessionKey(join(REQUEST, deep))).isNull();
  }

  @Test
  void field_number_zero_and_unknown_wire_types_are_a_fault() {
    assertThat(EncodedIds.sessionKey(join(REQUEST, new byte[] {0}))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, new byte[] {2, 0}))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, new byte[] {0x1e}))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, new byte[] {0x1f}))).isNull();
  }

  @Test
  void lengths_beyond_the_message_and_negative_ones_are_a_fault() {
    byte[] beyond = {0x1a, 3, 1, 2};
    byte[] negative = {0x1a, -1, -1, -1, -1, 0x0f};
    byte[] beyondTheContext = {0x12, 2, 0x0a, 4, 'a', 'n', 'n', '!'};

    assertThat(EncodedIds.sessionKey(join(REQUEST, beyond))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, negative))).isNull();
    assertThat(EncodedIds.sessionKey(join(REQUEST, beyondTheContext))).isNull();
  }

  @Test
  void ill_formed_text_is_a_fault_and_the_replacement_character_is_not() {
    byte[] lonelyByte = {0x0a, 1, (byte) 0xff};
    byte[] surrogate = {0x0a, 3, (byte) 0xed, (byte) 0xa0, (byte) 0x80};
    byte[] replacement = join(new byte[] {0x0a, 3}, "\uFFFD".getBytes(StandardCharsets.UTF_8));

    assertThat(EncodedIds.sessionKey(lonelyByte)).isNull();
    assertThat(EncodedIds.sessionKey(surrogate)).isNull();
    assertThat(EncodedIds.sessionKey(replacement)).isEqualTo(new SessionKey("", "\uFFFD"));
  }

  @Test
  void an_empty_message_names_no_session() {
    assertThat(EncodedIds.sessionKey(new byte[0])).isNull();
  }

  @Test
  @Timeout(20)
  void the_size_of_a_plan_costs_nothing() {
    ByteArrayOutputStream big = new ByteArrayOutputStream();
    int size = 64 << 20;
    big.writeBytes(new byte[] {0x1a, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x20});
    big.writeBytes(new byte[size]);
    big.writeBytes(REQUEST);
    byte[] bytes = big.toByteArray();

    // Looking at each byte would take 100 000 times 64 MiB: hours.
    long start = System.nanoTime();
    for (int i = 0; i < 100_000; i++) {
      assertThat(EncodedIds.sessionKey(bytes)).isEqualTo(ANN);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
  }
}
