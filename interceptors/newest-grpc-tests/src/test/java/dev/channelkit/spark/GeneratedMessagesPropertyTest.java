package dev.channelkit.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.channelkit.call.SessionKey;
import io.grpc.MethodDescriptor;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.spark.connect.proto.ExecutePlanRequest;
import org.apache.spark.connect.proto.Plan;
import org.apache.spark.connect.proto.Range;
import org.apache.spark.connect.proto.Relation;
import org.apache.spark.connect.proto.SparkConnectServiceGrpc;
import org.apache.spark.connect.proto.UserContext;

/** The reader of bytes against the parser of Spark's own messages. */
class GeneratedMessagesPropertyTest {
  private static final MethodDescriptor<?, ?> EXECUTE =
      SparkConnectServiceGrpc.getExecutePlanMethod();

  @Property(tries = 2_000)
  void bytes_give_what_the_message_gives(@ForAll("requests") ExecutePlanRequest request) {
    byte[] bytes = request.toByteArray();

    assertThat(SparkSessions.keyOf(EXECUTE, bytes))
        .isEqualTo(expected(request))
        .isEqualTo(SparkSessions.keyOf(EXECUTE, request));
    assertThat(SparkSessions.operationIdOf(EXECUTE, bytes))
        .isEqualTo(SparkSessions.operationIdOf(EXECUTE, request));
    assertThat(SparkSessions.observedServerSideIdOf(EXECUTE, bytes))
        .isEqualTo(SparkSessions.observedServerSideIdOf(EXECUTE, request));
  }

  @Property(tries = 2_000)
  void two_messages_in_a_row_read_as_they_merge(
      @ForAll("requests") ExecutePlanRequest first, @ForAll("requests") ExecutePlanRequest second)
      throws InvalidProtocolBufferException {
    byte[] both = SparkSessionsTest.join(first.toByteArray(), second.toByteArray());

    assertThat(SparkSessions.keyOf(EXECUTE, both))
        .isEqualTo(expected(ExecutePlanRequest.parseFrom(both)));
  }

  @Property(tries = 10_000)
  void damage_never_throws_and_agrees_with_a_parser_that_accepts(
      @ForAll("requests") ExecutePlanRequest request,
      @ForAll("positions") int at,
      @ForAll byte value,
      @ForAll boolean cut) {
    byte[] bytes = request.toByteArray();
    if (bytes.length == 0) {
      return;
    }
    int position = at % bytes.length;
    if (cut) {
      bytes = Arrays.copyOf(bytes, position);
    } else {
      bytes[position] = value;
    }

    SessionKey key = SparkSessions.keyOf(EXECUTE, bytes);
    Message parsed;
    try {
      parsed = ExecutePlanRequest.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      return;
    }
    assertThat(key).isEqualTo(expected((ExecutePlanRequest) parsed));
  }

  @Provide
  Arbitrary<Integer> positions() {
    return Arbitraries.integers().between(0, 400);
  }

  @Provide
  Arbitrary<ExecutePlanRequest> requests() {
    Arbitrary<String> text =
        Arbitraries.strings().withCharRange(' ', '\u07ff').ofMaxLength(40).injectNull(0.2);
    return Combinators.combine(text, text, text, text, text, Arbitraries.longs())
        .as(GeneratedMessagesPropertyTest::request);
  }

  private static ExecutePlanRequest request(
      String session, String user, String userName, String operation, String observed, long end) {
    ExecutePlanRequest.Builder request = ExecutePlanRequest.newBuilder();
    if (session != null) {
      request.setSessionId(session);
    }
    if (user != null || userName != null) {
      UserContext.Builder context = request.getUserContextBuilder();
      if (user != null) {
        context.setUserId(user);
      }
      if (userName != null) {
        context.setUserName(userName);
      }
    }
    if (operation != null) {
      request.setOperationId(operation).addAllTags(List.of(operation, "t"));
    }
    if (observed != null) {
      request.setClientObservedServerSideSessionId(observed);
    }
    Relation range = Relation.newBuilder().setRange(Range.newBuilder().setEnd(end)).build();
    return request.setPlan(Plan.newBuilder().setRoot(range)).build();
  }

  private static SessionKey expected(ExecutePlanRequest request) {
    return request.getSessionId().isEmpty()
        ? null
        : new SessionKey(request.getUserContext().getUserId(), request.getSessionId());
  }
}
