package dev.channelkit.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.function.Executable;

/** Keeps out of the log what gRPC and the interceptor say about exceptions thrown on purpose. */
final class Quiet {
  private static final Logger ROOT = Logger.getLogger("");

  private Quiet() {}

  static void run(Executable body) throws Exception {
    List<Runnable> restore = new ArrayList<>();
    for (Handler handler : ROOT.getHandlers()) {
      @Nullable Filter before = handler.getFilter();
      handler.setFilter(
          record -> !isDeliberate(record) && (before == null || before.isLoggable(record)));
      restore.add(() -> handler.setFilter(before));
    }
    try {
      body.execute();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      restore.forEach(Runnable::run);
    }
  }

  private static boolean isDeliberate(LogRecord record) {
    String logger = record.getLoggerName();
    if (logger != null && logger.startsWith("io.grpc")) {
      return true;
    }
    for (Throwable thrown = record.getThrown(); thrown != null; thrown = thrown.getCause()) {
      if (thrown instanceof Ending.DeliberateException
          || thrown instanceof Ending.DeliberateError) {
        return true;
      }
    }
    return false;
  }
}
