package dev.channelkit.examples.quickstart;

import java.time.InstantSource;
import java.util.List;
import org.apache.spark.sql.connect.SparkSession;
import org.apache.spark.sql.connect.client.SparkConnectClient;
import org.sparkproject.io.grpc.ClientInterceptor;

/**
 * What a part works with.
 *
 * @param port of the Spark Connect server on the loopback interface
 * @param token which the server demands
 * @param clock the wall clock
 * @param progress where to tell what is going on
 */
record Stage(int port, String token, InstantSource clock, Progress progress) {

  /**
   * A new Spark session through the official client.
   *
   * @param outermostFirst what to attach to it
   */
  SparkSession open(List<ClientInterceptor> outermostFirst) {
    SparkConnectClient.Builder client =
        SparkConnectClient.builder().connectionString("sc://localhost:" + port);
    // The client runs the interceptor that was added last first.
    for (int i = outermostFirst.size() - 1; i >= 0; i--) {
      client = client.interceptor(outermostFirst.get(i));
    }
    return SparkSession.builder().client(client.build()).create();
  }
}
