package dev.channelkit.testing;

import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * What a {@link ScriptedServer} does with one call: steps in order, and an end.
 *
 * <pre>{@code
 * Script.answer(bytes);                                       // one message, OK
 * Script.begin().message(a).message(b).fail(Status.INTERNAL); // fails after two messages
 * Script.begin().fail(Status.UNAVAILABLE);                    // trailers only
 * Script.begin().delay(Duration.ofSeconds(2)).message(a).ok();
 * Script.begin().hold(gate).message(a).ok();                  // until gate.complete(null)
 * Script.begin().never();                                     // open until the client gives up
 * }</pre>
 *
 * <p>The steps begin when the client has half-closed, unless {@link Builder#atStart()} or {@link
 * Builder#atFirstMessage()} says otherwise. A message waits until the client's flow control lets it
 * through, an end does not. Headers go out with the first message or at {@link
 * Builder#headers(Metadata)}; a script with neither answers with trailers only when it fails.
 *
 * <p>Immutable; one script may serve any number of calls at a time.
 *
 * @since 0.1
 */
public final class Script {
  /** One thing to do. */
  sealed interface Step {}

  record Headers(Metadata headers) implements Step {}

  @SuppressWarnings("ArrayRecordComponent") // never compared, and copied when it is taken in
  record Message(byte[] bytes) implements Step {}

  record Delay(Duration delay) implements Step {}

  record Hold(CompletionStage<?> gate) implements Step {}

  record Close(Status status, Metadata trailers) implements Step {}

  enum Trigger {
    START,
    FIRST_MESSAGE,
    HALF_CLOSE
  }

  private final Trigger trigger;
  private final List<Step> steps;

  private Script(Trigger trigger, List<Step> steps) {
    this.trigger = trigger;
    this.steps = List.copyOf(steps);
  }

  /**
   * The given messages, then OK.
   *
   * @param messages in wire form; none gives a call that ends OK without a message; not null
   * @return a finished script
   */
  public static Script answer(byte[]... messages) {
    Builder builder = begin();
    for (byte[] message : messages) {
      builder.message(message);
    }
    return builder.ok();
  }

  /**
   * An end with this status and no message: trailers only.
   *
   * @param status any code; not null
   * @return a finished script
   */
  public static Script failing(Status status) {
    return begin().fail(status);
  }

  /**
   * A script to be filled in, ended by {@link Builder#ok()}, {@link Builder#fail(Status)} or {@link
   * Builder#never()}.
   *
   * @return a new builder
   */
  public static Builder begin() {
    return new Builder();
  }

  Trigger trigger() {
    return trigger;
  }

  List<Step> steps() {
    return steps;
  }

  static Metadata copy(Metadata metadata) {
    Metadata copy = new Metadata();
    copy.merge(metadata);
    return copy;
  }

  /**
   * Collects steps. Not thread-safe.
   *
   * @since 0.1
   */
  public static final class Builder {
    private final List<Step> steps = new ArrayList<>();
    private Trigger trigger = Trigger.HALF_CLOSE;

    private Builder() {}

    /**
     * Begins when the call arrives, before any request message.
     *
     * @return this
     */
    public Builder atStart() {
      trigger = Trigger.START;
      return this;
    }

    /**
     * Begins at the first request message, or at the half-close if there is none.
     *
     * @return this
     */
    public Builder atFirstMessage() {
      trigger = Trigger.FIRST_MESSAGE;
      return this;
    }

    /**
     * Sends response headers now. At most once, and before the first message.
     *
     * @param headers copied; not null
     * @return this
     * @throws IllegalStateException if headers have been sent by then
     */
    public Builder headers(Metadata headers) {
      for (Step step : steps) {
        if (step instanceof Headers || step instanceof Message) {
          throw new IllegalStateException("headers: come once and before the first message");
        }
      }
      steps.add(new Headers(copy(headers)));
      return this;
    }

    /**
     * Sends one message.
     *
     * @param message in wire form, copied; not null
     * @return this
     */
    public Builder message(byte[] message) {
      steps.add(new Message(message.clone()));
      return this;
    }

    /**
     * Waits for a time of the server's scheduler, which is virtual if that is a {@link
     * ManualScheduler}.
     *
     * @param time zero to 36500 days; not null
     * @return this
     */
    public Builder delay(Duration time) {
      if (time.isNegative() || time.compareTo(Duration.ofDays(36_500)) > 0) {
        throw new IllegalArgumentException("delay: " + time + " is not 0 to 36500 days");
      }
      steps.add(new Delay(time));
      return this;
    }

    /**
     * Waits until a test releases it, for example {@code gate.complete(null)} of a {@link
     * java.util.concurrent.CompletableFuture}. The steps after it run on the thread that releases
     * it. A gate that completes exceptionally releases too.
     *
     * @param gate not null
     * @return this
     */
    public Builder hold(CompletionStage<?> gate) {
      steps.add(new Hold(Objects.requireNonNull(gate, "gate")));
      return this;
    }

    /**
     * Ends with OK.
     *
     * @return the script
     */
    public Script ok() {
      return fail(Status.OK);
    }

    /**
     * Ends with OK and trailers.
     *
     * @param trailers copied; not null
     * @return the script
     */
    public Script ok(Metadata trailers) {
      return fail(Status.OK, trailers);
    }

    /**
     * Ends with a status.
     *
     * @param status not null
     * @return the script
     */
    public Script fail(Status status) {
      return fail(status, new Metadata());
    }

    /**
     * Ends with a status and trailers.
     *
     * @param status not null
     * @param trailers copied; not null
     * @return the script
     */
    public Script fail(Status status, Metadata trailers) {
      steps.add(new Close(Objects.requireNonNull(status, "status"), copy(trailers)));
      return finish();
    }

    /**
     * Does not end: the call stays open until the client cancels it or its deadline passes.
     *
     * @return the script
     */
    public Script never() {
      return finish();
    }

    private Script finish() {
      Script script = new Script(trigger, steps);
      // A builder that is used on must not end twice.
      steps.removeIf(Close.class::isInstance);
      return script;
    }
  }
}
