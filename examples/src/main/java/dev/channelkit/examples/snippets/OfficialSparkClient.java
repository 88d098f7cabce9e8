package dev.channelkit.examples.snippets;

import com.google.auth.Credentials;
import dev.channelkit.shaded.InterceptorStack;
import dev.channelkit.shaded.auth.CachedCallCredentials;
import dev.channelkit.shaded.spark.SparkConnect;
import org.apache.spark.sql.connect.SparkSession;
import org.apache.spark.sql.connect.client.SparkConnectClient;

/** The relocated flavour on the official client. */
final class OfficialSparkClient {
  private OfficialSparkClient() {}

  static SparkSession session(Credentials googleCredentials) {
    // snippet
    InterceptorStack stack =
        SparkConnect.stack()
            .credentials(CachedCallCredentials.builder(googleCredentials).build())
            .build();
    SparkConnectClient client =
        SparkConnectClient.builder()
            .connectionString("sc://spark.example.com:443/;use_ssl=true")
            .interceptor(stack.interceptor())
            .build();
    SparkSession spark = SparkSession.builder().client(client).create();
    // end of snippet
    return spark;
  }
}
