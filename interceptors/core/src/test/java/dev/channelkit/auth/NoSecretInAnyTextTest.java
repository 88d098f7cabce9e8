package dev.channelkit.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.channelkit.event.StackEventListener;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every failure path with every logger open: no text of ours shows the token, plain or coded. */
class NoSecretInAnyTextTest {
  private static final String SECRET = "s3cr3t-Value-of-the-token";

  private final Lab lab = new Lab();
  private final List<String> texts = new CopyOnWriteArrayList<>();
  private final Logger root = Logger.getLogger("");
  private final Level before = root.getLevel();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          // gRPC's own wire logs at FINEST are not ours to judge.
          if (String.valueOf(record.getLoggerName()).startsWith("channelkit")) {
            texts.add(new SimpleFormatter().format(record));
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private final StackEventListener listener =
      new StackEventListener() {
        @Override
        public void onTokenRefreshed(TokenRefreshed event) {
          texts.add(event.toString());
        }

        @Override
        public void onTokenRefreshFailed(TokenRefreshFailed event) {
          texts.add(event.toString());
          if (event.cause() != null) {
            texts.add(trace(event.cause()));
          }
        }

        @Override
        public void onTokenRejected(TokenRejected event) {
          texts.add(event.toString());
        }
      };

  @BeforeEach
  void openLoggers() {
    handler.setLevel(Level.FINEST);
    root.setLevel(Level.FINEST);
    root.addHandler(handler);
  }

  @AfterEach
  void closeLoggers() {
    root.removeHandler(handler);
    root.setLevel(before);
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private void see(Status status) {
    texts.add(status.toString());
    texts.add(trace(status.asRuntimeException()));
  }

  private void nothingSecret(int atLeast) {
    assertThat(texts).hasSizeGreaterThanOrEqualTo(atLeast);
    byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
    String hex = HexFormat.of().formatHex(bytes);
    for (String text : texts) {
      assertThat(text)
          .doesNotContain(SECRET)
          .doesNotContainIgnoringCase(hex)
          .doesNotContain(Base64.getEncoder().withoutPadding().encodeToString(bytes));
    }
  }

  private Token token() {
    return Token.of(SECRET, lab.clock.instant().plus(Duration.ofHours(1)));
  }

  private static TokenSource throwing(Throwable thrown) {
    return () -> {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (Exception) thrown;
    };
  }

  @Test
  @DisplayName("A source whose exceptions repeat the token, plain, hex, base64 or as a header")
  void exceptionsOfTheSource() {
    byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
    List<Throwable> leaks = new ArrayList<>();
    leaks.add(new IOException("bad answer for " + SECRET));
    leaks.add(new IllegalStateException("hex " + HexFormat.of().formatHex(bytes)));
    leaks.add(new NoSuchMethodError("b64 " + Base64.getEncoder().encodeToString(bytes)));
    leaks.add(new PermanentTokenException("invalid_grant for " + SECRET));
    leaks.add(new IOException("outer", new IOException("sent authorization: Bearer " + SECRET)));
    IOException suppressing = new IOException("plain");
    suppressing.addSuppressed(new IOException(SECRET));
    leaks.add(suppressing);
    for (Throwable leak : leaks) {
      Lab fresh = new Lab();
      CachedCallCredentials credentials =
          CachedCallCredentials.builder(fresh.source)
              .clock(fresh.clock)
              .scheduler(fresh.scheduler)
              .executor(Runnable::run)
              .eventListener(listener)
              .build();
      fresh.source.next(
          () -> Token.of(SECRET, fresh.clock.instant().plusSeconds(3600)),
          throwing(leak),
          throwing(leak),
          throwing(leak));
      FakeCall.create().applyTo(credentials).token();
      fresh.pass(3400);
      FakeCall.create().applyTo(credentials).token();
      fresh.pass(300);
      see(FakeCall.create().applyTo(credentials).status());
      see(FakeCall.create().applyTo(credentials).status());
      texts.add(credentials.toString());
    }
    nothingSecret(leaks.size() * 9);
  }

  @Test
  @DisplayName("The very first answer of a source, which nobody knows yet")
  void whatIsKnownToLookLikeASecret() {
    for (String leak :
        List.of(
            "HTTP 400 {\"access_token\":\"" + SECRET + "\"}",
            "refresh_token=" + SECRET + "&grant_type=refresh_token",
            "client_secret: " + SECRET,
            "request had Authorization: Bearer " + SECRET,
            "got bearer " + SECRET + ", expected another")) {
      CachedCallCredentials credentials =
          lab.builder(throwing(new IOException(leak)))
              .executor(Runnable::run)
              .eventListener(listener)
              .build();
      see(FakeCall.create().applyTo(credentials).status());
    }
    String jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
    CachedCallCredentials credentials =
        lab.builder(throwing(new IOException("refused " + jwt))).executor(Runnable::run).build();
    Status status = FakeCall.create().applyTo(credentials).status();
    assertThat(status.toString()).doesNotContain("eyJzdWIi").contains("refused");
    nothingSecret(15);
  }

  @Test
  @DisplayName("A token that was fetched before, in the codings in which clients of HTTP show it")
  void codedForms() {
    String token = "tok/en+with=special&chars==";
    byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
    List<String> forms =
        List.of(
            token,
            token.toUpperCase(Locale.ROOT),
            token.replace("=", ""),
            URLEncoder.encode(token, StandardCharsets.UTF_8),
            URLEncoder.encode(token, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT),
            token.replace("/", "\\/"),
            token.replace("=", "\\u003d").replace("&", "\\u0026"),
            token.replace("&", "&amp;"),
            HexFormat.ofDelimiter(":").formatHex(bytes),
            HexFormat.ofDelimiter(" ").withUpperCase().formatHex(bytes),
            Arrays.toString(bytes),
            base64("user:" + token),
            base64("u:" + token),
            base64("Bearer " + token));
    for (String form : forms.subList(3, forms.size())) {
      String text = new Redaction(List.of(token)).clean("<" + form + ">");
      assertThat(text).as(form).contains("<hidden>").hasSizeLessThan(form.length());
    }
    assertThat(new Redaction(List.of(token)).clean("a " + forms.get(0) + " b " + forms.get(1)))
        .isEqualTo("a <hidden> b <hidden>");
    assertThat(new Redaction(List.of("abcdef==")).clean("a abcdef b")).isEqualTo("a <hidden> b");
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aTextThatIsVeryLongIsCutBetweenWords() {
    String secret = "t0ken".repeat(30);
    String text = "word ".repeat(1_637) + secret + " word".repeat(1_000_000);

    String cleaned = new Redaction(List.of(secret)).clean(text);

    assertThat(cleaned).hasSizeLessThan(8_300).endsWith("more characters>").doesNotContain("t0ken");
    assertThat(new Redaction(List.of()).clean("x".repeat(9_000)))
        .isEqualTo(" <9000 more characters>");
  }

  @Test
  void secretsByTheNameBesideThem() {
    for (String leak :
        List.of(
            "{\"access_token\" : \"opaqueSECRET\"}",
            "{'access_token': 'opaqueSECRET'}",
            "{\"access_token\":\"opaque,SECRET\"}",
            "{\\\"access_token\\\":\\\"SECRET\\\"}",
            "access_token = opaqueSECRET",
            "token%3DSECRET",
            "{\"api_key\":\"SECRET\"}",
            "Authorization: Basic opaqueSECRET",
            "{Authorization=[Basic opaqueSECRET]}",
            "Cookie: session=SECRET",
            "POST https://user:SECRET@idp.example/token")) {
      assertThat(new Redaction(List.of()).clean(leak)).as(leak).doesNotContain("SECRET");
    }
    String harmless = "idp.example asks for basic authentication at https://idp.example/token?x=1";
    assertThat(new Redaction(List.of()).clean(harmless)).isEqualTo(harmless);
  }

  @Test
  void theTextOfOurOwnErrorsIsWhole() {
    Status status =
        FakeCall.create()
            .applyTo(
                lab.builder(() -> Token.withoutExpiry("a\r\n")).executor(Runnable::run).build())
            .status();

    assertThat(status.getDescription()).contains("position 1 of 3", "leave out the word Bearer");
    assertThat(status.getDescription()).doesNotContain("<hidden>");
  }

  @Test
  void aTokenThatWasReplacedIsStillKnown() {
    CachedCallCredentials credentials = lab.builder().executor(Runnable::run).build();
    FakeCall.create().applyTo(credentials);
    lab.pass(3400);
    FakeCall.create().applyTo(credentials);
    lab.source.next(throwing(new IOException("value one was " + FakeSource.value(1))));
    lab.pass(4000);

    Status status = FakeCall.create().applyTo(credentials).status();

    assertThat(status.toString()).contains("value one was <hidden>").doesNotContain("secret-1");
  }

  @Test
  @SuppressWarnings("OverrideThrowableToString") // that is the point
  void aMessageThatToStringDoesNotShow() {
    CachedCallCredentials credentials = lab.builder().executor(Runnable::run).build();
    FakeCall.create().applyTo(credentials);
    lab.source.next(
        throwing(
            new IOException("bad " + FakeSource.value(1)) {
              private static final long serialVersionUID = 1L;

              @Override
              public String toString() {
                return "quiet";
              }
            }));
    lab.pass(4000);

    Throwable cause = FakeCall.create().applyTo(credentials).status().getCause();

    assertThat(cause.getMessage()).doesNotContain("secret-1");
  }

  @Test
  void exceptionsWithoutASecretAreKeptAsTheyAre() {
    IOException harmless = new IOException("connection refused: idp.example:443");
    CachedCallCredentials credentials =
        lab.builder(throwing(harmless)).executor(Runnable::run).build();

    Status status = FakeCall.create().applyTo(credentials).status();

    assertThat(status.getCause()).isSameAs(harmless);
    assertThat(status.getDescription()).contains("connection refused: idp.example:443");
  }

  @Test
  void unusableTokens() {
    for (TokenSource source :
        List.<TokenSource>of(
            () -> Token.of(SECRET, lab.clock.instant()),
            () -> Token.of(SECRET + "\n", lab.clock.instant()),
            () -> Token.of("Bearer " + SECRET, lab.clock.instant()))) {
      CachedCallCredentials credentials =
          lab.builder(source).executor(Runnable::run).eventListener(listener).build();
      see(FakeCall.create().applyTo(credentials).status());
    }
    nothingSecret(9);
  }

  @Test
  void hangingRejectingRefusedAndCancelled() throws Exception {
    CachedCallCredentials hanging = lab.builder(this::token).eventListener(listener).build();
    FakeCall hung = FakeCall.create().applyTo(hanging);
    lab.pass(30);
    see(hung.status());
    CachedCallCredentials rejecting =
        lab.builder(this::token)
            .executor(
                task -> {
                  throw new RejectedExecutionException("full");
                })
            .eventListener(listener)
            .build();
    see(FakeCall.create().applyTo(rejecting).status());
    CachedCallCredentials warm =
        lab.warm(lab.builder(this::token).executor(lab.executor).eventListener(listener));
    see(FakeCall.create().level(SecurityLevel.NONE).applyTo(warm).status());
    texts.add(warm.toString());
    texts.add(warm.interceptor().toString());
    texts.add(warm.token().toString());
    texts.add(token().toString());
    try (TextServer server = new TextServer()) {
      server.script((number, auth) -> TextServer.Refusal.of(Status.UNAUTHENTICATED));
      Channel channel = ClientInterceptors.intercept(server.channel(), warm.interceptor());
      try {
        ClientCalls.blockingUnaryCall(channel, TextServer.UNARY, CallOptions.DEFAULT, "a");
      } catch (StatusRuntimeException e) {
        see(e.getStatus());
      }
      var call = channel.newCall(TextServer.UNARY, CallOptions.DEFAULT);
      texts.add(call.toString());
      call.cancel("enough", null);
    }
    lab.executor.runAll();
    texts.add(warm.toString());
    nothingSecret(15);
  }
}
