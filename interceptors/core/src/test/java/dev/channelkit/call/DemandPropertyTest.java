package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.testing.ManualScheduler;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** C10 over random sequences of what an application and a server may do. */
class DemandPropertyTest {
  @Provide
  Arbitrary<List<Integer>> steps() {
    // 0 to 3: request so many; 4 and 5: a message arrives; 6: the executor runs; 7: close;
    // 8: close now; 9: headers; 10: ready.
    return Arbitraries.frequency(
            io(4, 0), io(8, 1), io(3, 3), io(10, 4), io(6, 6), io(1, 7), io(1, 8), io(1, 9),
            io(2, 10))
        .list()
        .ofMaxSize(80);
  }

  private static Tuple.Tuple2<Integer, Integer> io(int weight, int step) {
    return Tuple.of(weight, step);
  }

  @Property(tries = 2_000)
  @Label("C10 Random request, arrive, close, cancel: order, delivered <= requested, one onClose")
  void listener(@ForAll("steps") List<Integer> steps, @ForAll boolean direct) {
    QueuedExecutor queued = new QueuedExecutor();
    RecordingListener<String> listener = new RecordingListener<>();
    SerializingClientCallListener<String> out =
        new SerializingClientCallListener<>(
            listener,
            CallOptions.DEFAULT.withExecutor(direct ? Runnable::run : queued),
            CallRuntime.of(queued, new ManualScheduler()),
            Context.ROOT,
            (text, cause) -> {});
    long requested = 0;
    int arrived = 0;
    Status end = null;
    boolean now = false;
    for (int step : steps) {
      switch (step) {
        case 4 -> {
          out.onMessage(String.valueOf(arrived));
          arrived += end == null ? 1 : 0;
        }
        case 6 -> queued.runAll();
        case 7 -> {
          out.onClose(Status.UNAVAILABLE, new Metadata());
          end = end == null ? Status.UNAVAILABLE : end;
        }
        case 8 -> {
          now |= out.closeNow(Status.CANCELLED, new Metadata());
          end = now ? Status.CANCELLED : end;
        }
        case 9 -> out.onHeaders(new Metadata());
        case 10 -> out.onReady();
        default -> {
          out.request(step);
          requested += step;
        }
      }
      assertThat(messages(listener).size()).isLessThanOrEqualTo((int) requested);
    }
    queued.runAll();
    List<String> messages = messages(listener);
    for (int i = 0; i < messages.size(); i++) {
      assertThat(messages.get(i)).isEqualTo("message " + i);
    }
    assertThat(listener.faults()).isEmpty();
    if (now) {
      assertThat(listener.closes()).isEqualTo(1);
      assertThat(out.waiting()).isZero();
    } else {
      assertThat(messages).hasSize((int) Math.min(requested, arrived));
      assertThat(listener.closes()).isEqualTo(end != null && requested >= arrived ? 1 : 0);
    }
  }

  @Property(tries = 500)
  @Label("C10 A local answer of n messages gives exactly min(n, requested), then OK at n")
  void localAnswer(@ForAll("steps") List<Integer> steps) {
    QueuedExecutor queued = new QueuedExecutor();
    RecordingListener<String> listener = new RecordingListener<>();
    List<String> answer = new ArrayList<>();
    steps.stream().filter(step -> step == 4).forEach(step -> answer.add("" + answer.size()));
    LocalClientCall<String, String> call =
        LocalClientCall.answering(
            CallOptions.DEFAULT, CallRuntime.of(queued, new ManualScheduler()), answer);
    call.start(listener, new Metadata());
    long requested = 0;
    boolean halfClosed = false;
    boolean cancelled = false;
    for (int step : steps) {
      switch (step) {
        case 0, 1, 3 -> {
          call.request(step);
          requested += step;
        }
        case 6 -> queued.runAll();
        case 7 -> {
          if (!halfClosed) {
            call.halfClose();
            halfClosed = true;
          }
        }
        case 8 -> {
          call.cancel("enough", null);
          cancelled = true;
        }
        default -> {}
      }
      assertThat(messages(listener).size()).isLessThanOrEqualTo(halfClosed ? (int) requested : 0);
    }
    queued.runAll();
    assertThat(listener.faults()).isEmpty();
    boolean served = halfClosed && requested >= answer.size();
    assertThat(listener.closes()).isEqualTo(served || cancelled ? 1 : 0);
    if (!cancelled) {
      assertThat(messages(listener))
          .hasSize(halfClosed ? (int) Math.min(requested, answer.size()) : 0);
    }
  }

  private static List<String> messages(RecordingListener<String> listener) {
    return listener.events().stream().filter(event -> event.startsWith("message")).toList();
  }
}
