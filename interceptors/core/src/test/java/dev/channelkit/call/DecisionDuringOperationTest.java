package dev.channelkit.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.Controls;
import dev.channelkit.testing.ManualScheduler;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The decision completes while an operation is on its way into the buffer, for each operation of a
 * unary script: the server must see message, then half-close, once each.
 */
class DecisionDuringOperationTest {
  private static final int ROUNDS = 300;

  @Test
  @DisplayName("C2 The decision during an operation: message then half-close, none lost or swapped")
  void nothingIsLostOrSwapped() throws Exception {
    scenario(Ours::new);
  }

  @Test
  @DisplayName("The naive call passes with its lock, so the control fails by the gap alone")
  void naiveWithoutTheGap() throws Exception {
    scenario(() -> new Naive(false));
  }

  @Test
  @Tag("control")
  @DisplayName("Fails with a gap between the look at the delegate and the buffer")
  void controlWithTheGap() {
    Controls.assertFails(
        "operation during the decision", "Naive(gap)", () -> scenario(() -> new Naive(true)));
  }

  private static void scenario(Supplier<Subject> subjects) throws Exception {
    for (int decidedAt = 0; decidedAt < 3; decidedAt++) {
      for (int round = 0; round < ROUNDS; round++) {
        Subject subject = subjects.get();
        ScriptedCall delegate = new ScriptedCall();
        ClientCall<String, String> call = subject.call();
        call.start(new ClientCall.Listener<>() {}, new Metadata());
        List<Runnable> script =
            List.of(() -> call.request(2), () -> call.sendMessage("m"), call::halfClose);
        for (int i = 0; i < script.size(); i++) {
          if (i != decidedAt) {
            script.get(i).run();
            continue;
          }
          Thread decider = new Thread(() -> subject.decide(delegate));
          decider.start();
          script.get(i).run();
          decider.join(10_000);
        }
        assertThat(delegate.log())
            .as("decided during operation %d, round %d", decidedAt, round)
            .startsWith("start")
            .contains("request 2")
            .containsSubsequence("message m", "halfClose")
            .hasSize(4);
        assertThat(delegate.faults).isEmpty();
      }
    }
  }

  private interface Subject {
    ClientCall<String, String> call();

    void decide(ClientCall<String, String> delegate);
  }

  private static final class Ours implements Subject {
    private static final CallRuntime RUNTIME = CallRuntime.of(Runnable::run, new ManualScheduler());

    private final TestDeferredCall call = new TestDeferredCall(CallOptions.DEFAULT, RUNTIME);

    @Override
    public ClientCall<String, String> call() {
      return call;
    }

    @Override
    public void decide(ClientCall<String, String> delegate) {
      call.go(delegate);
    }
  }

  /** Looks whether there is a delegate and buffers if not; with the gap, not in one step. */
  private static final class Naive extends ClientCall<String, String> implements Subject {
    private final boolean gap;
    private final CountDownLatch decided = new CountDownLatch(1);
    private final List<Consumer<ClientCall<String, String>>> buffer = new ArrayList<>();
    private Listener<String> listener;
    private Metadata headers;
    private ClientCall<String, String> delegate;

    Naive(boolean gap) {
      this.gap = gap;
    }

    @Override
    public ClientCall<String, String> call() {
      return this;
    }

    @Override
    public void decide(ClientCall<String, String> chosen) {
      synchronized (buffer) {
        chosen.start(listener, headers);
        buffer.forEach(operation -> operation.accept(chosen));
        delegate = chosen;
      }
      decided.countDown();
    }

    private void operation(Consumer<ClientCall<String, String>> operation) {
      if (gap) {
        boolean buffering;
        synchronized (buffer) {
          buffering = delegate == null;
        }
        if (buffering) {
          awaitDecision();
          synchronized (buffer) {
            buffer.add(operation);
          }
          return;
        }
      }
      synchronized (buffer) {
        if (delegate == null) {
          buffer.add(operation);
        } else {
          operation.accept(delegate);
        }
      }
    }

    // Bounded: in the script, the operations before the one in question meet no decision.
    private void awaitDecision() {
      try {
        boolean unused = decided.await(100, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void start(Listener<String> listener, Metadata headers) {
      this.listener = listener;
      this.headers = headers;
    }

    @Override
    public void request(int numMessages) {
      operation(call -> call.request(numMessages));
    }

    @Override
    public void cancel(String message, Throwable cause) {
      operation(call -> call.cancel(message, cause));
    }

    @Override
    public void halfClose() {
      operation(ClientCall::halfClose);
    }

    @Override
    public void sendMessage(String message) {
      operation(call -> call.sendMessage(message));
    }
  }
}
