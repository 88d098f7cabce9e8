package dev.channelkit.clienttests;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Something a user does with a session, told by its name and by what it gives. */
record Operation(String name, Action action) {

  /** Whether a bare session fails at it, so that a test compares answers where answers are due. */
  boolean failsWith(String client, String server) {
    return name.startsWith("fails:")
        // This client asks for settings that this server does not know.
        || (name.startsWith("createDataFrame") && client.equals("4.2.0") && server.equals("4.0.1"));
  }

  /** What is done; the answer is compared by its text. */
  @FunctionalInterface
  interface Action {
    Object on(SparkSession spark, Path folder) throws Exception;
  }
}
