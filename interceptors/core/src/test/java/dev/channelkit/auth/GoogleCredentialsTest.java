package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.auth.oauth2.AccessToken;
import com.google.auth.oauth2.OAuth2Credentials;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Credentials of google-auth as a source. */
class GoogleCredentialsTest {
  /** Gives oauth-1, oauth-2, ... for an hour each; it keeps them as long as it likes to. */
  private static final class Renewing extends OAuth2Credentials {
    private static final long serialVersionUID = 1L;
    private final transient AtomicInteger refreshes = new AtomicInteger();
    private final transient Lab lab;
    private transient volatile IOException failure;

    Renewing(Lab lab) {
      this.lab = lab;
    }

    @Override
    public AccessToken refreshAccessToken() throws IOException {
      if (failure != null) {
        throw failure;
      }
      return new AccessToken(
          "oauth-" + refreshes.incrementAndGet(),
          Date.from(lab.clock.instant().plus(Duration.ofHours(1))));
    }
  }

  private final Lab lab = new Lab();

  private CachedCallCredentials over(com.google.auth.Credentials google) {
    return CachedCallCredentials.builder(google)
        .clock(lab.clock)
        .scheduler(lab.scheduler)
        .executor(Runnable::run)
        .random(() -> 0L)
        .build();
  }

  private static FakeCall call(CachedCallCredentials credentials) {
    return FakeCall.create().applyTo(credentials);
  }

  @Test
  void theExpiryIsThatOfTheAccessToken() {
    Renewing google = new Renewing(lab);
    CachedCallCredentials credentials = over(google);
    assertThat(call(credentials).token()).isEqualTo("Bearer oauth-1");
    assertThat(credentials.token().toCompletableFuture().join().expiresAt())
        .contains(lab.clock.instant().plus(Duration.ofHours(1)));
    lab.pass(3299);
    call(credentials);
    assertThat(google.refreshes).hasValue(1);
  }

  @Test
  void aTokenThatItsLibraryStillCallsFreshIsReplacedWhenOurMarginSaysSo() {
    Renewing google = new Renewing(lab);
    CachedCallCredentials credentials = over(google);
    call(credentials);
    lab.pass(3300);

    assertThat(call(credentials).token()).isEqualTo("Bearer oauth-1");
    for (int i = 0; i < 10; i++) {
      assertThat(call(credentials).token()).isEqualTo("Bearer oauth-2");
    }
    assertThat(google.refreshes).hasValue(2);
  }

  @Test
  void aTokenWithoutEndIsKeptAndNeverRefreshedInVain() {
    CachedCallCredentials credentials =
        over(OAuth2Credentials.create(new AccessToken("for-ever", null)));
    for (int i = 0; i < 10; i++) {
      assertThat(call(credentials).token()).isEqualTo("Bearer for-ever");
      lab.pass(100);
    }
  }

  @Test
  void aFixedTokenServesToItsEndAndThenTheTextSaysWhatToDo() {
    Instant end = lab.clock.instant().plus(Duration.ofHours(1));
    CachedCallCredentials credentials =
        over(OAuth2Credentials.create(new AccessToken("fixed", Date.from(end))));
    call(credentials);
    lab.pass(3599);
    assertThat(call(credentials).token()).isEqualTo("Bearer fixed");
    lab.pass(1);

    Status status = call(credentials).status();

    assertThat(status.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    assertThat(status.getDescription()).contains("cannot refresh").contains("TokenSource");
  }

  @Test
  void aFailureOfTheLibraryIsTransientUnlessItSaysOtherwise() {
    Renewing google = new Renewing(lab);
    google.failure = new IOException("metadata server down");

    assertThat(call(over(google)).status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);

    google.failure = new PermanentTokenException("invalid_grant");
    assertThat(call(over(google)).status().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
  }

  @Test
  void plainCredentialsPassTheirHeadersOnAndLiveForTheLifetimeGiven() {
    PlainGoogle google = new PlainGoogle("bearer plain", "project", "ignored");
    CachedCallCredentials credentials =
        CachedCallCredentials.builder(google)
            .clock(lab.clock)
            .scheduler(lab.scheduler)
            .executor(lab.executor)
            .audience(URI.create("https://host.example/"))
            .build();
    lab.executor.runAll();
    FakeCall call = call(credentials);
    lab.executor.runAll();

    assertThat(call.token()).isEqualTo("Bearer plain");
    assertThat(call.headers().getAll(IssuedToken.USER_PROJECT)).containsExactly("project");
    assertThat(call.headers().get(Metadata.Key.of("x-also-bin", Metadata.BINARY_BYTE_MARSHALLER)))
        .containsExactly(1, 2);
    assertThat(google.asked).isEqualTo(URI.create("https://host.example/"));
    lab.pass(30);
    call(credentials);
    assertThat(lab.executor.held()).isEqualTo(1);
    assertThat(google.refreshes).hasValue(0);
  }

  @Test
  void credentialsWithoutAnAuthorizationHeaderAreAnErrorThatSaysSo() {
    Status status = call(over(new PlainGoogle(null))).status();

    assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(status.getDescription()).contains("no authorization header");
  }

  @Test
  void anotherSchemeThanBearerIsSentAsItIs() {
    assertThat(call(over(new PlainGoogle("Basic dXNlcjpwYXNz"))).token())
        .isEqualTo("Basic dXNlcjpwYXNz");
  }

  @Test
  void headersThatTheTransportWouldDropAndLogFailTheFetchWithoutTheirValues() {
    for (String value :
        new String[] {"Basic abc\r\nx: geheim", "Basic geheim\u00f6", "Bearer a\nb"}) {
      Status status = call(over(new PlainGoogle(value))).status();

      assertThat(status.getDescription())
          .contains("header authorization", "expected visible ASCII characters")
          .doesNotContain("geheim");
    }
    assertThat(call(over(new PlainGoogle("  "))).status().getDescription())
        .contains("no authorization header");
    assertThat(call(over(new PlainGoogle("Bearer a", "p\nq"))).status().getDescription())
        .contains("header x-goog-user-project");
  }

  @Test
  void brokenRequestMetadataIsNamed() throws Exception {
    assertThatThrownBy(() -> Fetched.ofMetadata(headers("X A:", List.of("v")), null))
        .hasMessageContaining("name 'X A:'; expected letters");
    assertThatThrownBy(() -> Fetched.ofMetadata(headers(null, List.of("v")), null))
        .hasMessageContaining("name 'null'; expected letters");
    assertThatThrownBy(() -> Fetched.ofMetadata(headers("x", Arrays.asList("v", null)), null))
        .hasMessageContaining("header x with a value")
        .hasMessageContaining("was null");
    assertThatThrownBy(() -> Fetched.ofMetadata(headers("x-bin", List.of("!")), null))
        .hasMessageContaining("header x-bin")
        .hasMessageContaining("expected base64");
    assertThat(Fetched.ofMetadata(headers("x", null), null).authorization).isEqualTo("Bearer a");
  }

  private static Map<String, List<String>> headers(String name, List<String> values) {
    Map<String, List<String>> headers = new HashMap<>();
    headers.put(name, values);
    headers.put("authorization", List.of("Bearer a"));
    return headers;
  }
}
