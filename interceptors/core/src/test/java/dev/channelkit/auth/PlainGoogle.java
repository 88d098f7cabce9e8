package dev.channelkit.auth;

import com.google.auth.Credentials;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Credentials of google-auth that are no OAuth 2 ones and tell no expiry. */
final class PlainGoogle extends Credentials {
  private static final long serialVersionUID = 1L;

  final transient AtomicInteger refreshes = new AtomicInteger();
  transient URI asked;
  private final String authorization;
  private final List<String> projects;

  PlainGoogle(String authorization, String... projects) {
    this.authorization = authorization;
    this.projects = List.of(projects);
  }

  @Override
  public String getAuthenticationType() {
    return "plain";
  }

  @Override
  public Map<String, List<String>> getRequestMetadata(URI uri) {
    asked = uri;
    return authorization == null
        ? Map.of()
        : Map.of(
            "Authorization",
            List.of(authorization),
            "x-goog-user-project",
            projects,
            "x-also-bin",
            List.of("AQI="));
  }

  @Override
  public boolean hasRequestMetadata() {
    return true;
  }

  @Override
  public boolean hasRequestMetadataOnly() {
    return true;
  }

  @Override
  public void refresh() {
    refreshes.incrementAndGet();
  }
}
