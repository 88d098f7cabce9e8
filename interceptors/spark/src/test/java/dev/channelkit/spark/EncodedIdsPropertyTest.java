package dev.channelkit.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.channelkit.call.SessionKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/** The reader against protobuf's own parser: what that accepts, we read with the same result. */
class EncodedIdsPropertyTest {
  private static final String[] TYPES = {"ExecutePlanRequest", "ConfigRequest", "InterruptRequest"};

  @Property(tries = 3_000)
  void well_formed_messages_read_as_they_parse(
      @ForAll("type") String type, @ForAll("messages") byte[] message) {
    Statistics.collect(agreesWithParser(type, message));
  }

  @Property(tries = 10_000)
  void damaged_messages_never_throw_and_agree_with_a_parser_that_accepts(
      @ForAll("type") String type, @ForAll("damaged") byte[] message) {
    Statistics.collect(agreesWithParser(type, message));
  }

  @Property(tries = 5_000)
  void random_bytes_never_throw_and_agree_with_a_parser_that_accepts(
      @ForAll("type") String type, @ForAll byte[] message) {
    Statistics.collect(agreesWithParser(type, message));
  }

  private static String agreesWithParser(String type, byte[] bytes) {
    SparkRpc rpc = SparkRpc.ofRequestType("spark.connect." + type);
    SessionKey key = EncodedIds.sessionKey(bytes);
    String observed = EncodedIds.string(bytes, rpc.observedIdField(), SparkRpc.NO_FIELD);
    String operation =
        EncodedIds.string(bytes, rpc.operationIdField(), rpc.operationIdRivalField());
    DynamicMessage parsed;
    try {
      parsed = DynamicMessage.parseFrom(DynamicSpark.type(type), bytes);
    } catch (InvalidProtocolBufferException e) {
      return "parser rejects";
    }
    assertThat(key).isEqualTo(DynamicSpark.keyByName(parsed));
    assertThat(operation).isEqualTo(DynamicSpark.byName(parsed, "operation_id"));
    if (!type.equals("InterruptRequest")) {
      assertThat(observed)
          .isEqualTo(DynamicSpark.byName(parsed, "client_observed_server_side_session_id"));
    }
    return "parser accepts";
  }

  @Provide
  Arbitrary<String> type() {
    return Arbitraries.of(TYPES);
  }

  @Provide
  Arbitrary<byte[]> messages() {
    return fields().list().ofMaxSize(8).map(EncodedIdsPropertyTest::concatenate);
  }

  @Provide
  Arbitrary<byte[]> damaged() {
    Arbitrary<Integer> position = Arbitraries.integers().between(0, 200);
    Arbitrary<Integer> kind = Arbitraries.integers().between(0, 3);
    return Combinators.combine(messages(), position, kind, Arbitraries.bytes())
        .as(EncodedIdsPropertyTest::damage);
  }

  private static Arbitrary<byte[]> fields() {
    Arbitrary<String> text = Arbitraries.strings().all().ofMaxLength(5);
    Arbitrary<Integer> number = Arbitraries.integers().between(1, 20);
    Arbitrary<byte[]> string = Combinators.combine(number, text).as(EncodedIdsPropertyTest::string);
    Arbitrary<byte[]> context =
        Combinators.combine(Arbitraries.integers().between(1, 3), text)
            .as(EncodedIdsPropertyTest::string)
            .list()
            .ofMaxSize(3)
            .map(inner -> nested(2, concatenate(inner)));
    Arbitrary<byte[]> varint =
        Combinators.combine(number, Arbitraries.longs()).as(EncodedIdsPropertyTest::varint);
    Arbitrary<byte[]> fixed = number.map(EncodedIdsPropertyTest::fixed);
    Arbitrary<byte[]> overLong =
        Combinators.combine(number, text).as(EncodedIdsPropertyTest::overLongString);
    Arbitrary<byte[]> plain = Arbitraries.oneOf(string, context, varint, fixed, overLong);
    Arbitrary<byte[]> group = Combinators.combine(number, plain).as(EncodedIdsPropertyTest::group);
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(8, plain), net.jqwik.api.Tuple.of(1, group));
  }

  private static byte[] string(int number, String text) {
    // Lone surrogates become '?' here: well-formed text.
    return nested(number, ByteString.copyFromUtf8(text).toByteArray());
  }

  private static byte[] nested(int number, byte[] content) {
    return written(out -> out.writeByteArray(number, content));
  }

  private static byte[] varint(int number, long value) {
    return written(out -> out.writeUInt64(number, value));
  }

  private static byte[] fixed(int number) {
    return number % 2 == 0
        ? written(out -> out.writeFixed32(number, number))
        : written(out -> out.writeFixed64(number, number));
  }

  private static byte[] group(int number, byte[] inner) {
    return written(
        out -> {
          out.writeTag(number, 3);
          out.writeRawBytes(inner);
          out.writeTag(number, 4);
        });
  }

  private static byte[] overLongString(int number, String text) {
    byte[] content = ByteString.copyFromUtf8(text).toByteArray();
    return written(
        out -> {
          int tag = number << 3 | 2;
          out.writeRawByte((byte) (tag | 0x80));
          out.writeRawByte((byte) (tag >>> 7 | 0x80));
          out.writeRawByte((byte) 0);
          out.writeRawByte((byte) (content.length | 0x80));
          out.writeRawByte((byte) 0);
          out.writeRawBytes(content);
        });
  }

  private static byte[] damage(byte[] message, int at, int kind, byte value) {
    if (message.length == 0) {
      return new byte[] {value};
    }
    int position = at % message.length;
    byte[] result = message.clone();
    switch (kind) {
      case 0 -> result[position] = value;
      case 1 -> result[position] ^= (byte) (1 << (value & 7));
      case 2 -> result = java.util.Arrays.copyOf(message, position);
      default -> {
        result = new byte[message.length + 1];
        System.arraycopy(message, 0, result, 0, position);
        result[position] = value;
        System.arraycopy(message, position, result, position + 1, message.length - position);
      }
    }
    return result;
  }

  private static byte[] concatenate(List<byte[]> parts) {
    return SparkSessionsTest.join(parts.toArray(new byte[0][]));
  }

  private static byte[] written(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      writing.to(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private interface Writing {
    void to(CodedOutputStream out) throws IOException;
  }
}
