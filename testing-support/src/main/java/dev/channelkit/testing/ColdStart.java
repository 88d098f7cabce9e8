package dev.channelkit.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;

/**
 * Shows that a program loads no class of libraries that it does not use, although they lie on its
 * class path.
 *
 * @since 0.1
 */
public final class ColdStart {
  /**
   * Packages of what is optional to an interceptor on plain gRPC: Netty, OAuth and its HTTP and
   * JSON, protobuf.
   */
  public static final List<String> OPTIONAL_TO_PLAIN_GRPC =
      List.of(
          "io.netty.",
          "io.grpc.netty.",
          "io.grpc.auth.",
          "com.google.auth.oauth2.",
          "com.google.auth.http.",
          "com.google.api.client.",
          "com.google.gson.",
          "com.google.protobuf.");

  /** Packages of the official Spark Connect client, with what it brings under its own name. */
  public static final List<String> SPARK_CLIENT = List.of("org.apache.spark.", "org.sparkproject.");

  private ColdStart() {}

  /**
   * Runs a program in a child JVM and tells which classes of some packages it loaded.
   *
   * @param mainClass a program that ends with exit code 0 within a minute; not null
   * @param classPath jars and folders; not null
   * @param packages each with a dot at its end; not null
   * @return names of loaded classes in these packages, sorted; empty is what one hopes for
   * @throws AssertionError if a package is not on the class path, because then nothing would be
   *     shown, or if the program fails
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public static Set<String> loadedOf(
      String mainClass, List<String> classPath, List<String> packages) throws InterruptedException {
    for (String each : packages) {
      String path = each.replace('.', '/');
      if (classPath.stream().noneMatch(entry -> holds(new File(entry), path))) {
        throw new AssertionError(
            "Nothing of " + each + " is on the class path, so that not loading it shows nothing");
      }
    }
    ChildJvm.Result result =
        ChildJvm.running(mainClass).classPath(classPath).logLoadedClasses().run();
    if (result.exitCode() != 0 || !result.loadedClasses().contains(mainClass)) {
      throw new AssertionError(mainClass + " failed: " + result.output());
    }
    Set<String> loaded = new TreeSet<>(result.loadedClasses());
    loaded.removeIf(name -> packages.stream().noneMatch(name::startsWith));
    return loaded;
  }

  private static boolean holds(File entry, String path) {
    if (entry.isDirectory()) {
      return new File(entry, path).isDirectory();
    }
    if (!entry.isFile()) {
      return false;
    }
    try (JarFile jar = new JarFile(entry)) {
      return jar.stream()
          .anyMatch(each -> each.getName().startsWith(path) && each.getName().endsWith(".class"));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + entry, e);
    }
  }
}
