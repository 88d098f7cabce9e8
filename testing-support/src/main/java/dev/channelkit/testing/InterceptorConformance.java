package dev.channelkit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A suite that shows whether a {@link ClientInterceptor} keeps the contract of gRPC calls. It makes
 * the same calls with and without the interceptor, in every valid combination of stub kind, call
 * type, executor and ending, and compares. A subclass is a test class:
 *
 * <pre>{@code
 * class MyInterceptorConformanceTest extends InterceptorConformance {
 *   @Override protected ClientInterceptor newInterceptor() {
 *     return new MyInterceptor();
 *   }
 * }
 * }</pre>
 *
 * <p>In every call that is started: exactly one {@code onClose} and nothing after it; callbacks are
 * serial and ordered, run on the executor of the call options and in the caller's Context; no more
 * messages than were requested; status, trailers and messages are those of a bare channel. In every
 * cell: no server call, thread or channel stays open, and the interceptor's own {@linkplain
 * #openCounts() counts} return to zero. A failure names the rule that was broken and lists what
 * happened in order.
 *
 * <p>Where a bare channel has no single right outcome, the suite expects this: a call that races a
 * cancellation ends in {@code OK} or {@code CANCELLED}; when {@code start} throws below, the caller
 * sees the exception or one failing {@code onClose}, not both; {@code start} after {@code cancel}
 * throws {@code IllegalStateException} or closes with {@code CANCELLED}. An executor that rejects
 * every task strands a started call on a bare in-process channel: no callback comes, not even after
 * {@code cancel}, the server may keep the call, and the channel does not terminate. There the suite
 * expects that no operation hangs, that nothing but gRPC's own {@code RejectedExecutionException}
 * is thrown, that {@code onClose} comes at most once, and that the interceptor holds nothing for a
 * call that it never started below.
 *
 * <p>The suite uses an in-process server, never sleeps, and takes a few seconds. Calls run one
 * after the other; a subclass needs no thread safety of its own beyond what its interceptor has.
 *
 * @since 0.1
 */
@Execution(ExecutionMode.SAME_THREAD)
public abstract class InterceptorConformance {
  private static final int FEWEST_CELLS = 300;

  private final CellRunner runner = new CellRunner(new OfSubclass());

  /** For subclasses. */
  protected InterceptorConformance() {}

  /**
   * Makes the interceptor under test. Called once per cell, before its call is made.
   *
   * @return a fresh interceptor; not null
   * @throws Exception to fail the cell
   */
  protected abstract ClientInterceptor newInterceptor() throws Exception;

  /**
   * Counts that must be zero when no call is open, such as permits taken, timers armed, or calls in
   * a table. Asked before and after each cell, for the interceptor that was made last; a count that
   * is higher afterwards is asked for again for a while, and then fails the cell. From the thread
   * that runs the test.
   *
   * @return the counts by a name that a reader understands; none by default
   */
  protected Map<String, Long> openCounts() {
    return Map.of();
  }

  /**
   * Adds call options that the interceptor needs. The executor and deadline that are there already
   * must stay.
   *
   * @param options the options of the next call; not null
   * @return options to use instead; {@code options} itself by default
   */
  protected CallOptions callOptions(CallOptions options) {
    return options;
  }

  /**
   * What the interceptor does on purpose that a bare channel does not.
   *
   * @return traits; none by default
   */
  protected Set<InterceptorTrait> traits() {
    return Set.of();
  }

  /**
   * Tells threads that may outlive a call, such as those of a pool shared by the whole process.
   * Threads of gRPC, JUnit and the JVM are known.
   *
   * @param thread a thread that was started during a cell and is still alive; not null
   * @return whether it may stay; false by default
   */
  protected boolean isSharedThread(Thread thread) {
    return false;
  }

  /**
   * How long to wait for something that a correct interceptor does at once, before the cell fails.
   *
   * @return a positive duration; five seconds by default
   */
  protected Duration patience() {
    return Subject.PATIENCE;
  }

  /**
   * Frees what {@link #newInterceptor()} made. Called after each cell, before threads are counted.
   *
   * @throws Exception to fail the cell
   */
  protected void afterCell() throws Exception {}

  /**
   * Lists every cell of the matrix as a test of its own.
   *
   * @return containers by stub kind, call type and executor
   */
  @TestFactory
  protected final Stream<DynamicNode> matrix() {
    return group(
        Cell.all(),
        Cell::stub,
        ofStub ->
            group(
                ofStub,
                Cell::type,
                ofType ->
                    group(
                        ofType,
                        Cell::executor,
                        cells ->
                            cells.stream()
                                .map(
                                    cell ->
                                        DynamicTest.dynamicTest(
                                            cell.ending().toString(), () -> runner.check(cell))))));
  }

  /**
   * Checks single rules that no cell of the matrix shows.
   *
   * @return one test per check
   */
  @TestFactory
  protected final Stream<DynamicNode> rules() {
    return RuleCheck.all().stream()
        .map(rule -> DynamicTest.dynamicTest(rule.name(), () -> runner.check(rule)));
  }

  /** Counts the cells, so that nobody takes an empty matrix for a passed one. */
  @Test
  protected final void listsEveryCell() {
    int cells = Cell.all().size();
    System.out.printf("%s: %d conformance cells%n", getClass().getSimpleName(), cells);
    assertThat(cells).as("cells of the matrix").isGreaterThanOrEqualTo(FEWEST_CELLS);
  }

  private static <K> Stream<DynamicNode> group(
      List<Cell> cells,
      Function<Cell, K> by,
      Function<List<Cell>, Stream<? extends DynamicNode>> inside) {
    return cells.stream()
        .collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .map(
            entry ->
                DynamicContainer.dynamicContainer(
                    String.valueOf(entry.getKey()), inside.apply(entry.getValue())));
  }

  /** Hands the answers of the subclass to the runner. */
  private final class OfSubclass implements Subject {
    @Override
    public ClientInterceptor newInterceptor() throws Exception {
      return InterceptorConformance.this.newInterceptor();
    }

    @Override
    public Map<String, Long> openCounts() {
      return InterceptorConformance.this.openCounts();
    }

    @Override
    public CallOptions callOptions(CallOptions options) {
      return InterceptorConformance.this.callOptions(options);
    }

    @Override
    public Set<InterceptorTrait> traits() {
      return InterceptorConformance.this.traits();
    }

    @Override
    public boolean isSharedThread(Thread thread) {
      return InterceptorConformance.this.isSharedThread(thread);
    }

    @Override
    public Duration patience() {
      return InterceptorConformance.this.patience();
    }

    @Override
    public void afterCell() throws Exception {
      InterceptorConformance.this.afterCell();
    }
  }
}
