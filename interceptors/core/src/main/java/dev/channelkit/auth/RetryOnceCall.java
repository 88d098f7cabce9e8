package dev.channelkit.auth;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A unary call that is sent a second time, with the next token, if the server refuses the first.
 *
 * <p>Only while nothing of the first answer has reached the application. The second attempt starts
 * on the callback thread of the first one's end; what the application does meanwhile is noted under
 * the lock and handed over in rounds until nothing is left.
 */
final class RetryOnceCall<Q, R> extends ClientCall<Q, R> {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private final CredentialsInterceptor interceptor;
  private final MethodDescriptor<Q, R> method;
  private final CallOptions options;
  private final Channel next;
  private final Context context = Context.current();
  private final Metadata copy = new Metadata();
  private final Object lock = new Object();

  // Guarded by the lock, the reads of current in isReady and getAttributes aside.
  private volatile GatedCall<Q, R> current;
  private boolean switching;
  private long requested;
  private final List<Q> messages = new ArrayList<>(1);
  private boolean keepsMessages = true;
  private boolean compression = true;
  private boolean halfClosed;
  private boolean cancelled;
  private @Nullable String cancelMessage;
  private @Nullable Throwable cancelCause;

  RetryOnceCall(
      CredentialsInterceptor interceptor,
      MethodDescriptor<Q, R> method,
      CallOptions options,
      Channel next) {
    this.interceptor = interceptor;
    this.method = method;
    this.options = options;
    this.next = next;
    this.current = interceptor.attempt(method, options, next);
  }

  @Override
  public void start(Listener<R> listener, Metadata headers) {
    GatedCall<Q, R> first = current;
    first.record.namesProject = CredentialsInterceptor.makeRoom(headers);
    // Before the start: the call below adds to the headers, and a second start would send both.
    copy.merge(headers);
    first.start(new AttemptListener(first, true, listener), headers);
  }

  @Override
  public void request(int numMessages) {
    ClientCall<Q, R> call;
    synchronized (lock) {
      requested += Math.max(0, numMessages);
      call = target();
    }
    if (call != null) {
      call.request(numMessages);
    }
  }

  @Override
  public void sendMessage(Q message) {
    ClientCall<Q, R> call;
    synchronized (lock) {
      if (keepsMessages) {
        messages.add(message);
      }
      call = target();
    }
    if (call != null) {
      call.sendMessage(message);
    }
  }

  @Override
  public void halfClose() {
    ClientCall<Q, R> call;
    synchronized (lock) {
      halfClosed = true;
      call = target();
    }
    if (call != null) {
      call.halfClose();
    }
  }

  @Override
  public void setMessageCompression(boolean enabled) {
    ClientCall<Q, R> call;
    synchronized (lock) {
      compression = enabled;
      call = target();
    }
    if (call != null) {
      call.setMessageCompression(enabled);
    }
  }

  @Override
  public void cancel(@Nullable String message, @Nullable Throwable cause) {
    GatedCall<Q, R> attempt;
    synchronized (lock) {
      if (!cancelled) {
        cancelled = true;
        cancelMessage = message;
        cancelCause = cause;
      }
      attempt = switching ? null : current;
    }
    if (attempt != null) {
      attempt.cancel(message, cause);
    }
  }

  @Override
  public boolean isReady() {
    return current.isReady();
  }

  @Override
  public Attributes getAttributes() {
    return current.getAttributes();
  }

  /** Where an operation goes; null while the second attempt is being built and takes note. */
  private @Nullable ClientCall<Q, R> target() {
    return switching ? null : current;
  }

  /** A call that will not be sent again must not hold its request until it ends. */
  private void forgetMessages() {
    synchronized (lock) {
      keepsMessages = false;
      messages.clear();
    }
  }

  /** Whether to send it again; if so, operations are only noted from now on. */
  private boolean beginSwitch(Metadata trailers) {
    String pushback = trailers.get(PUSHBACK);
    Deadline deadline = options.getDeadline();
    boolean late = (deadline != null && deadline.isExpired()) || context.isCancelled();
    if (late || (pushback != null && !pushback.equals("0"))) {
      return false;
    }
    synchronized (lock) {
      // A stream can be read only once, and the first attempt may have done so.
      boolean replayable = messages.stream().noneMatch(InputStream.class::isInstance);
      switching = !cancelled && replayable;
      return switching;
    }
  }

  private void sendAgain(Listener<R> listener, Status status, Metadata trailers) {
    Context previous = context.attach();
    try {
      GatedCall<Q, R> second = null;
      AttemptListener answers = null;
      try {
        second = interceptor.attempt(method, options, next);
        second.record.namesProject = current.record.namesProject;
        answers = new AttemptListener(second, false, listener);
        second.start(answers, copy);
      } catch (RuntimeException | Error thrown) {
        // It may have got below before it threw: unless it has answered already, the refusal is the
        // answer, and nothing of it is heard any more.
        boolean unheard = answers == null || answers.detach();
        synchronized (lock) {
          current = unheard || second == null ? current : second;
          switching = false;
        }
        cancelQuietly(second, thrown);
        if (unheard) {
          listener.onClose(status, trailers);
        }
        return;
      }
      handOver(second);
    } finally {
      context.detach(previous);
    }
  }

  private static void cancelQuietly(@Nullable GatedCall<?, ?> call, Throwable why) {
    if (call != null) {
      try {
        call.cancel("the call could not be sent again", why);
      } catch (RuntimeException | Error alsoThrown) {
        // An exception refuses to suppress itself, and the close must still be delivered.
        if (alsoThrown != why) {
          why.addSuppressed(alsoThrown);
        }
      }
    }
  }

  private void handOver(GatedCall<Q, R> second) {
    long passedRequests = 0;
    int passedMessages = 0;
    boolean passedCompression = true;
    boolean passedHalfClose = false;
    try {
      while (true) {
        long requests;
        List<Q> sends;
        boolean compress;
        boolean close;
        synchronized (lock) {
          requests = requested - passedRequests;
          sends = List.copyOf(messages.subList(passedMessages, messages.size()));
          compress = compression;
          close = halfClosed && !passedHalfClose;
          boolean idle =
              requests == 0 && sends.isEmpty() && compress == passedCompression && !close;
          if (cancelled || idle) {
            current = second;
            switching = false;
            forgetMessages();
            break;
          }
        }
        if (compress != passedCompression) {
          second.setMessageCompression(compress);
          passedCompression = compress;
        }
        if (requests > 0) {
          second.request((int) Math.min(requests, Integer.MAX_VALUE));
          passedRequests += Math.min(requests, Integer.MAX_VALUE);
        }
        for (Q message : sends) {
          second.sendMessage(message);
          passedMessages++;
        }
        if (close) {
          second.halfClose();
          passedHalfClose = true;
        }
      }
    } catch (RuntimeException | Error thrown) {
      synchronized (lock) {
        current = second;
        switching = false;
      }
      cancelQuietly(second, thrown);
      return;
    }
    String message;
    Throwable cause;
    synchronized (lock) {
      if (!cancelled) {
        return;
      }
      message = cancelMessage;
      cause = cancelCause;
    }
    // Maybe a second time, by the thread that found the switch done: that is harmless.
    second.cancel(message == null && cause == null ? "cancelled" : message, cause);
  }

  private final class AttemptListener extends Listener<R> {
    private final GatedCall<Q, R> attempt;
    private final boolean first;
    private final Listener<R> downstream;

    /** Null before the first callback; false when nothing is to be heard any more. */
    private final AtomicReference<@Nullable Boolean> heard = new AtomicReference<>();

    private boolean committed;
    private boolean over;

    AttemptListener(GatedCall<Q, R> attempt, boolean first, Listener<R> downstream) {
      this.attempt = attempt;
      this.first = first;
      this.downstream = downstream;
    }

    /** For a start that threw: true if no callback came before, and none gets through now. */
    boolean detach() {
      return heard.compareAndSet(null, false);
    }

    private boolean passes() {
      return !over && (heard.compareAndSet(null, true) || Boolean.TRUE.equals(heard.get()));
    }

    private void commit() {
      if (!committed) {
        committed = true;
        if (first) {
          forgetMessages();
        }
      }
    }

    @Override
    public void onHeaders(Metadata headers) {
      if (passes()) {
        commit();
        downstream.onHeaders(headers);
      }
    }

    @Override
    public void onMessage(R message) {
      if (passes()) {
        commit();
        downstream.onMessage(message);
      }
    }

    @Override
    public void onReady() {
      if (passes()) {
        downstream.onReady();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (!passes()) {
        return;
      }
      over = true;
      boolean again = false;
      try {
        if (status.getCode() == Status.Code.UNAUTHENTICATED) {
          boolean otherToken = interceptor.cache().reject(attempt.record.generation);
          again = first && otherToken && !committed && beginSwitch(trailers);
        }
      } finally {
        if (!again) {
          downstream.onClose(status, trailers);
        }
      }
      if (again) {
        sendAgain(downstream, status, trailers);
      }
    }
  }
}
