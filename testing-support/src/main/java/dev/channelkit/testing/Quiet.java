package dev.channelkit.testing;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.function.Executable;

/** Keeps gRPC from logging the exceptions that cells throw on purpose. */
final class Quiet {
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  private Quiet() {}

  static void run(Executable body) throws Exception {
    Level before = GRPC.getLevel();
    GRPC.setLevel(Level.OFF);
    try {
      body.execute();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      GRPC.setLevel(before);
    }
  }
}
