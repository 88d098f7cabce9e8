package dev.channelkit;

/**
 * Which gRPC this build of the toolkit is for, and whether it is there.
 *
 * <p>The toolkit comes in two flavours made of the same sources. {@code channelkit-core} and {@code
 * channelkit-spark} are for plain gRPC. {@code channelkit-spark-shaded} is for the official Spark
 * Connect JVM client, which brings its gRPC and protobuf under another package name. With the wrong
 * flavour on the class path no class of gRPC is found; {@link InterceptorStack#builder()} and the
 * Spark preset then throw the exceptions described here. Other classes, whose own supertypes are
 * gRPC's (the credentials for one), cannot be loaded at all in that case and end in a {@code
 * NoClassDefFoundError}: a program that uses them without a stack can call {@link #requireGrpc()}
 * first.
 *
 * <p>Thread-safe. This class mentions no type of gRPC or protobuf, so that it loads without them.
 *
 * @since 0.1
 */
public final class Flavour {
  // Relocation rewrites constants that start with a relocated package, so these two name the
  // classes of whichever flavour this is; what is joined at run time stays as it is.
  private static final String OWN_GRPC = "io.grpc.ClientInterceptor";
  private static final String OWN_PROTOBUF = "com.google.protobuf.CodedInputStream";

  private static final String PLAIN_GRPC = String.join(".", "io", "grpc", "ClientInterceptor");
  private static final String CLIENT_GRPC = String.join(".", "org.sparkproject", PLAIN_GRPC);
  private static final boolean SHADED = !OWN_GRPC.equals(PLAIN_GRPC);

  // Only ever set to true, by whichever thread found out first.
  private static volatile boolean grpcFound;
  private static volatile boolean protobufFound;

  private Flavour() {}

  /**
   * Checks that the gRPC of this flavour is visible to the class loader of the toolkit.
   *
   * @throws IllegalStateException if it is not, naming the artifact that is missing or the one to
   *     use instead
   */
  public static void requireGrpc() {
    if (!grpcFound) {
      if (!isPresent(OWN_GRPC)) {
        throw new IllegalStateException(SHADED ? noClient("gRPC", OWN_GRPC) : noGrpc());
      }
      grpcFound = true;
    }
  }

  /**
   * Checks that the protobuf runtime of this flavour is visible to the class loader of the toolkit,
   * and its gRPC too. Only what knows Spark needs protobuf.
   *
   * @throws IllegalStateException if one is not, naming the artifact that is missing or the one to
   *     use instead
   */
  public static void requireProtobuf() {
    requireGrpc();
    if (!protobufFound) {
      if (!isPresent(OWN_PROTOBUF)) {
        throw new IllegalStateException(SHADED ? noClient("protobuf", OWN_PROTOBUF) : noProtobuf());
      }
      protobufFound = true;
    }
  }

  private static String noGrpc() {
    if (isPresent(CLIENT_GRPC)) {
      return "Wrong flavour of channelkit: this is the one for plain gRPC, and there is no "
          + PLAIN_GRPC
          + " on the class path, but the official Spark Connect client is, which relocates gRPC to "
          + packageOf(CLIENT_GRPC)
          + ". Use the artifact dev.channelkit:channelkit-spark-shaded in place of channelkit-core"
          + " and channelkit-spark; its packages begin with "
          + String.join(".", "dev", "channelkit", "shaded")
          + ".";
    }
    return "channelkit needs gRPC, and there is no "
        + PLAIN_GRPC
        + " on the class path. Add io.grpc:grpc-api, 1.67.1 or newer, which is excluded or missing;"
        + " with the official Spark Connect client, which relocates gRPC, use the artifact"
        + " dev.channelkit:channelkit-spark-shaded instead.";
  }

  private static String noProtobuf() {
    return "channelkit-spark needs protobuf, and there is no "
        + OWN_PROTOBUF
        + " on the class path. Add com.google.protobuf:protobuf-java, 3.25 or newer, which is"
        + " excluded or missing; with the official Spark Connect client, which relocates protobuf,"
        + " use the artifact dev.channelkit:channelkit-spark-shaded instead.";
  }

  private static String noClient(String what, String missing) {
    return "channelkit-spark-shaded uses the "
        + what
        + " inside the official Spark Connect client, and there is no "
        + missing
        + " on the class path. Add org.apache.spark:spark-connect-client-jvm_2.13, 4.0.1 or newer;"
        + (isPresent(PLAIN_GRPC)
            ? " for the plain gRPC that is on the class path"
            : " for a client on plain gRPC")
        + " use the artifact dev.channelkit:channelkit-spark (or channelkit-core) instead.";
  }

  private static String packageOf(String className) {
    return className.substring(0, className.lastIndexOf('.'));
  }

  private static boolean isPresent(String className) {
    try {
      Class.forName(className, false, Flavour.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
