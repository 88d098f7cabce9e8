package dev.channelkit.testing;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The main class of the child JVM: takes its settings from standard input, runs the server, and
 * ends the JVM when standard input ends.
 *
 * <p>The other end of that pipe is in the parent, so it ends however the parent ends, {@code kill
 * -9} included. The settings come the same way because a command line, and with it a token, can be
 * read by every user of the machine.
 *
 * <p>This one class file is copied to the child, so it uses the JDK alone and has no nested class.
 */
final class SparkServerMain {
  static final int PARENT_GONE = 97;
  static final int MAIN_FAILED = 98;

  private SparkServerMain() {}

  public static void main(String[] args) throws IOException {
    InputStream parent = System.in;
    DataInputStream settings = new DataInputStream(parent);
    String mainClass = text(settings);
    String deleteWhenParentIsGone = text(settings);
    for (int left = settings.readInt(); left > 0; left--) {
      System.setProperty(text(settings), text(settings));
    }
    System.setIn(InputStream.nullInputStream());

    Thread watch =
        new Thread(() -> haltAtEnd(parent, deleteWhenParentIsGone), "channelkit-parent-watch");
    watch.setDaemon(true);
    watch.start();

    try {
      Class.forName(mainClass)
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    } catch (InvocationTargetException e) {
      fail(e.getCause() == null ? e : e.getCause());
    } catch (Throwable e) {
      fail(e);
    }
  }

  // Not readUTF, which ends at 64 KiB.
  private static String text(DataInputStream settings) throws IOException {
    return new String(settings.readNBytes(settings.readInt()), StandardCharsets.UTF_8);
  }

  private static void fail(Throwable e) {
    e.printStackTrace();
    System.err.flush();
    // Not exit: threads and hooks of a half-started server can keep the JVM alive.
    Runtime.getRuntime().halt(MAIN_FAILED);
  }

  private static void haltAtEnd(InputStream parent, String directory) {
    try {
      while (parent.read() >= 0) {
        // The parent writes nothing after the settings.
      }
    } catch (IOException e) {
      // A broken pipe says the same as its end.
    }
    try {
      if (!directory.isEmpty()) {
        delete(Path.of(directory));
      }
    } finally {
      Runtime.getRuntime().halt(PARENT_GONE);
    }
  }

  private static void delete(Path directory) {
    List<Path> paths;
    try (Stream<Path> tree = Files.walk(directory)) {
      paths = tree.sorted(Comparator.reverseOrder()).toList();
    } catch (IOException | RuntimeException e) {
      return;
    }
    for (Path path : paths) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        // The server still writes; what is left is in the temporary folder.
      }
    }
  }
}
