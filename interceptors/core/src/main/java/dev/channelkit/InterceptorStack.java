package dev.channelkit;

import dev.channelkit.auth.CachedCallCredentials;
import dev.channelkit.call.CallRuntime;
import dev.channelkit.event.EventSource.Registration;
import dev.channelkit.event.StackEventListener;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The parts of this toolkit in their one right order, in front of any gRPC channel.
 *
 * <pre>{@code
 * InterceptorStack stack =
 *     InterceptorStack.builder()
 *         .outermost(tracing)
 *         .credentials(CachedCallCredentials.builder(tokenSource).build())
 *         .build();
 * Channel channel = stack.applyTo(anyChannel); // or stack.interceptor(), for a builder that takes one
 * }</pre>
 *
 * <p><b>Order.</b> The stack fixes it, whatever the order of the builder's methods. Outermost
 * first: the application's {@code outermost} interceptors, the parts of the toolkit with the
 * credentials as the last of them, the application's {@code innermost} interceptors, the channel.
 * Outgoing operations pass in this order and incoming events in the reverse; {@link #toString()}
 * prints it. An interceptor listed earlier in one option is further out. Everything runs once a
 * logical call, above the channel's own retries.
 *
 * <p><b>Errors.</b> An interceptor of the application that throws from {@code interceptCall} or
 * returns null yields a call that fails with {@code INTERNAL} and names the interceptor; nothing is
 * thrown at the stub. What an event listener throws never reaches a call.
 *
 * <p><b>Switches.</b> A part can be kept off one call by its {@code CallOptions} key, which its own
 * class documents. Operators can take some parts out of all stacks from outside the program, by the
 * system property {@code channelkit.PART.enabled} or the environment variable {@code
 * CHANNELKIT_PART_ENABLED}, both read by {@link Builder#build()}; credentials have no such switch.
 * The parts that have one say so where they are added.
 *
 * <p><b>Threading.</b> Immutable and thread-safe; the same stack may serve any number of channels.
 * It starts no thread, and the threads of its parts are daemons: a program that never closes a
 * stack ends all the same.
 *
 * @since 0.1
 */
public final class InterceptorStack implements AutoCloseable {
  private final Builder configuration;
  private final StackInterceptor chain;
  private final String text;
  private final AtomicReference<List<Registration>> registrations;

  InterceptorStack(
      Builder configuration,
      StackInterceptor chain,
      String text,
      List<Registration> registrations) {
    this.configuration = configuration;
    this.chain = chain;
    this.text = text;
    this.registrations = new AtomicReference<>(List.copyOf(registrations));
  }

  /**
   * Starts an empty stack.
   *
   * @return a builder; never null
   * @throws IllegalStateException if the gRPC of this flavour of the toolkit is not on the class
   *     path; the text names the artifact to use
   */
  public static Builder builder() {
    Flavour.requireGrpc();
    return new Builder();
  }

  /**
   * A builder that holds what this stack was built from; changing it never changes this stack. What
   * {@link #close()} ended is part of it, and kill switches are read anew.
   *
   * @return a new builder; never null
   */
  public Builder toBuilder() {
    return new Builder(configuration);
  }

  /**
   * This stack in front of a channel.
   *
   * @param channel below the stack, which does not own it: close it yourself; not null
   * @return the channel to use, with the authority of the given one; never null
   * @throws NullPointerException if {@code channel} is null
   */
  public Channel applyTo(Channel channel) {
    if (channel == null) {
      throw new NullPointerException("channel");
    }
    return chain.inFrontOf(channel);
  }

  /**
   * This stack as one interceptor, for a channel builder that takes one. Whatever else that builder
   * is given stays outside or inside of the whole stack, by the builder's own rule; gRPC's {@code
   * intercept} puts what was added last outermost.
   *
   * @return the interceptor, the same one each time; never null
   */
  public ClientInterceptor interceptor() {
    return chain.asInterceptor();
  }

  /**
   * Frees what the stack itself holds elsewhere: its event listeners hear nothing more from its
   * parts. Calls under way and new ones pass as before, since neither channels nor parts belong to
   * the stack and both may serve others. Closing twice is harmless; never closing keeps the
   * listeners reachable for as long as the parts are, and nothing else.
   */
  @Override
  public void close() {
    for (Registration registration : registrations.getAndSet(List.of())) {
      registration.close();
    }
  }

  /**
   * The chain, outermost first, and which parts are off and why. For people; the form may change.
   *
   * @return never null, and free of secrets
   */
  @Override
  public String toString() {
    return text;
  }

  /**
   * Builds stacks.
   *
   * <p>Options may come in any order and are checked together by {@link #build()}. A builder can
   * build many stacks; changing it afterwards changes none of them. Not thread-safe.
   *
   * @since 0.1
   */
  public static final class Builder {
    // No type of gRPC is converted to another one in this class and the enclosing one: the verifier
    // would load both, and a missing gRPC would surface before the check that explains it.
    final List<@Nullable ClientInterceptor> outermost = new ArrayList<>();
    final List<@Nullable ClientInterceptor> innermost = new ArrayList<>();
    final List<@Nullable StackEventListener> eventListeners = new ArrayList<>();
    final List<StackPart> parts = new ArrayList<>();
    final List<String> nullOptions = new ArrayList<>();
    @Nullable CallRuntime runtime;
    KillSwitches killSwitches = KillSwitches.ofProcess();

    private Builder() {}

    private Builder(Builder from) {
      outermost.addAll(from.outermost);
      innermost.addAll(from.innermost);
      eventListeners.addAll(from.eventListeners);
      parts.addAll(from.parts);
      nullOptions.addAll(from.nullOptions);
      runtime = from.runtime;
      killSwitches = from.killSwitches;
    }

    /**
     * Adds interceptors outside everything of this toolkit, outermost first, after those of earlier
     * calls. They see each call of the application once, and its final outcome: the place for
     * tracing, metrics, logging, deadlines.
     *
     * @param interceptors to add; none is fine; not null, nor any element
     * @return this builder
     */
    public Builder outermost(ClientInterceptor... interceptors) {
      if (interceptors == null) {
        nullOptions.add("outermost");
      } else {
        Collections.addAll(outermost, interceptors);
      }
      return this;
    }

    /**
     * Adds interceptors between this toolkit and the channel, outermost first, after those of
     * earlier calls. They see only calls that go to the channel, with what the toolkit put into
     * their options: the place for headers that a proxy wants. Credentials are not in the headers
     * here; gRPC adds them further down.
     *
     * @param interceptors to add; none is fine; not null, nor any element
     * @return this builder
     */
    public Builder innermost(ClientInterceptor... interceptors) {
      if (interceptors == null) {
        nullOptions.add("innermost");
      } else {
        Collections.addAll(innermost, interceptors);
      }
      return this;
    }

    /**
     * Puts credentials on every call that has none of its own. Innermost of the parts: a call that
     * another part answers never waits for a token. {@link CachedCallCredentials#ENABLED} keeps
     * them off a call; there is no kill switch.
     *
     * @param credentials theirs is the only interceptor needed, {@code withCallCredentials} is not;
     *     not closed or changed by the stack, and may serve others; not null; once only
     * @return this builder
     */
    public Builder credentials(CachedCallCredentials credentials) {
      if (credentials == null) {
        nullOptions.add("credentials");
        return this;
      }
      return part(StackPart.of(credentials));
    }

    /**
     * Adds a listener to the events of all parts; see there for its threads. Listeners are told in
     * the order in which they were added. One that was also given to the builder of a part hears
     * that part twice.
     *
     * @param listener told from {@link #build()} to {@link InterceptorStack#close()}; not null; the
     *     same one only once
     * @return this builder
     */
    public Builder eventListener(StackEventListener listener) {
      eventListeners.add(listener);
      return this;
    }

    /**
     * Sets where the stack answers a call itself, which it does when an interceptor of the
     * application breaks, if the call names no executor of its own. {@link CallRuntime#shared()}
     * unless set. The parts take theirs from their own builders.
     *
     * @param callRuntime never shut down by the stack; not null; the last one set counts
     * @return this builder
     */
    public Builder runtime(CallRuntime callRuntime) {
      if (callRuntime == null) {
        nullOptions.add("runtime");
      } else {
        runtime = callRuntime;
      }
      return this;
    }

    /** Puts a part of the toolkit in its place. Every builder method of a part ends here. */
    Builder part(StackPart part) {
      parts.add(part);
      return this;
    }

    /** Replaces where kill switches are looked up. */
    Builder killSwitches(KillSwitches switches) {
      killSwitches = switches;
      return this;
    }

    /**
     * Builds the stack and reads the kill switches.
     *
     * @return a new stack; never null
     * @throws NullPointerException if an option or an element of one is null; the text names it
     * @throws IllegalStateException if two options contradict each other; the text names both: a
     *     part that is set twice, one interceptor in both {@code outermost} and {@code innermost},
     *     the interceptor of a part given to one of these as well, another stack in one of these
     *     that holds a part which would come out of order, one listener added twice
     */
    public InterceptorStack build() {
      return StackAssembly.assemble(new Builder(this));
    }
  }
}
