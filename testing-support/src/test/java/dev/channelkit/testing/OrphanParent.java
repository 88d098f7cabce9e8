package dev.channelkit.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The parent JVM that a test kills: starts a server, says where it is, and waits for the end. */
public final class OrphanParent {
  private OrphanParent() {}

  public static void main(String[] args) throws Exception {
    RealSparkConnect server =
        RealSparkConnect.builder("4.2.0")
            .classPath(List.of(Path.of(args[0])))
            .mainClass(FakeSparkServer.class.getName())
            .start();
    System.out.println("child " + server.pid());
    if (args.length > 1) {
      System.exit(0);
    }
    new CountDownLatch(1).await();
  }
}
