package dev.channelkit.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** Starts in no time, and fails as {@code spark.fake.mode} says. */
public final class FakeSparkServer {
  private FakeSparkServer() {}

  public static void main(String[] args) throws Exception {
    System.out.println("token " + System.getProperty("spark.connect.authenticate.token"));
    switch (System.getProperty("spark.fake.mode", "good")) {
      case "good" -> serve(true);
      case "silent" -> serve(false);
      case "throws" -> throw new IllegalStateException("the fake server fails");
      case "hangs" -> new CountDownLatch(1).await();
      case "bindOnce" -> {
        if (Files.notExists(Path.of("second"))) {
          Files.createFile(Path.of("second"));
          throw new BindException("Address already in use");
        }
        serve(true);
      }
      default -> throw new IllegalArgumentException("mode");
    }
  }

  private static void serve(boolean says) throws IOException {
    int port = Integer.getInteger("spark.connect.grpc.binding.port");
    try (ServerSocket server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
      if (says) {
        System.out.println("INFO Spark Connect server started at: 127.0.0.1:" + port);
      }
      while (true) {
        try (Socket socket = server.accept()) {
          socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
          socket.getInputStream().readAllBytes();
        } catch (IOException e) {
          System.out.println("connection: " + e);
        }
      }
    }
  }
}
