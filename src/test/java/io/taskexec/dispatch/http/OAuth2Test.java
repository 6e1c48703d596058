package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.Cidr;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.HostLookup;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.ClientCredentials;
import io.taskexec.model.endpoint.ClientCredentials.Auth;
import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.vertx.core.http.HttpClientOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver that wants access tokens, and the server that issues them. */
class OAuth2Test {
    private static HttpTestBed bed;
    private static Receiver receiver;
    private static Receiver tokens;

    /** Has no token yet. */
    private HttpDispatcher dispatcher;

    @BeforeAll
    static void open() {
        bed = new HttpTestBed();
        receiver = new Receiver();
        tokens = new Receiver();
    }

    @AfterAll
    static void close() {
        bed.close();
        receiver.close();
        tokens.close();
    }

    @BeforeEach
    void clear() {
        dispatcher = bed.dispatcher(EgressConfig.Mode.OPEN);
        var issued = new AtomicInteger();
        tokens.clear();
        tokens.answer(_ -> Answer.of(200, """
                {"access_token": "token-%d", "token_type": "bearer", "expires_in": 3600}
                """.formatted(issued.incrementAndGet())));
        receiver.clear();
        receiver.answer(Answer.of(200, "{}"));
    }

    private static ClientCredentials credentials(Auth auth) {
        return new ClientCredentials(
                tokens.uri("/token").toString(), "me & you", "s3cr:et", "write read", "https://api", auth);
    }

    private static HttpCall call(ClientCredentials credentials) {
        var access = new HttpAccess(null, credentials);
        return new HttpCall(
                receiver.uri("/"), "POST", Map.of("X-A", "1"), "{}", PATIENCE, HttpSpec.DEFAULT_EXPECTED, access);
    }

    private Outcome dispatch(HttpCall call) {
        return dispatcher.dispatch(call, DELIVERY).await().atMost(PATIENCE);
    }

    private Outcome dispatch() {
        return dispatch(call(credentials(Auth.BASIC)));
    }

    private static List<String> authorizations() {
        return receiver.requests().stream()
                .map(request -> Objects.requireNonNull(request.header("Authorization")))
                .toList();
    }

    @Test
    void theTokenIsAskedForOnceHoweverManyNeedIt() {
        var outcomes = Multi.createFrom()
                .range(0, 50)
                .onItem()
                .transformToUni(_ -> dispatcher.dispatch(call(credentials(Auth.BASIC)), DELIVERY))
                .merge(50)
                .collect()
                .asList()
                .await()
                .atMost(PATIENCE);

        assertThat(outcomes).hasSize(50).allMatch(it -> it instanceof Outcome.Succeeded);
        assertThat(authorizations()).hasSize(50).containsOnly("Bearer token-1");
        var request = only(tokens);
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.header("Content-Type")).isEqualTo("application/x-www-form-urlencoded");
        assertThat(request.header("Authorization")).isEqualTo("Basic " + base64("me+%26+you:s3cr%3Aet"));
        assertThat(request.header("Idempotency-Key")).isNull();
        assertThat(request.body())
                .isEqualTo("grant_type=client_credentials&scope=write+read&audience=https%3A%2F%2Fapi");
        assertThat(receiver.requests().getFirst().header("X-A")).isEqualTo("1");
    }

    private static Received only(Receiver of) {
        assertThat(of.requests()).hasSize(1);
        return of.requests().getFirst();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aClientMaySayWhoItIsInTheBody() {
        assertThat(dispatch(call(credentials(Auth.BODY)))).isInstanceOf(Outcome.Succeeded.class);

        assertThat(only(tokens).header("Authorization")).isNull();
        assertThat(only(tokens).body()).endsWith("&client_id=me+%26+you&client_secret=s3cr%3Aet");
    }

    @Test
    void anotherSecretIsAnotherClient() {
        var rotated = new ClientCredentials(tokens.uri("/token").toString(), "me & you", "new", null, null, Auth.BASIC);
        assertThat(dispatch()).isInstanceOf(Outcome.Succeeded.class);
        assertThat(dispatch(call(rotated))).isInstanceOf(Outcome.Succeeded.class);

        assertThat(authorizations()).containsExactly("Bearer token-1", "Bearer token-2");
    }

    @Test
    void aTokenThatTheReceiverRefusesIsReplacedWithinTheAttempt() {
        assertThat(dispatch()).isInstanceOf(Outcome.Succeeded.class);
        receiver.answer(request -> Answer.of("Bearer token-1".equals(request.header("Authorization")) ? 401 : 200, ""));

        assertThat(dispatch()).isInstanceOf(Outcome.Succeeded.class);
        assertThat(dispatch()).isInstanceOf(Outcome.Succeeded.class);

        assertThat(authorizations())
                .containsExactly("Bearer token-1", "Bearer token-1", "Bearer token-2", "Bearer token-2");
    }

    @Test
    void aReceiverThatRefusesAllTokensDoesNotBurdenTheTokenServer() {
        receiver.answer(Answer.of(401, "no"));
        for (var i = 0; i < 5; i++) {
            assertThat(dispatch())
                    .isEqualTo(new Outcome.PermanentFailure(
                            new Failure(Failure.Type.HTTP_ERROR, "HTTP 401 Unauthorized", 401, "no")));
        }
        assertThat(tokens.requests()).hasSize(2);
        assertThat(receiver.requests()).hasSize(6);
    }

    @Test
    void a401ThatIsExpectedIsASuccess() {
        receiver.answer(Answer.of(401, "no"));
        var call = call(credentials(Auth.BASIC));

        assertThat(dispatch(new HttpCall(call.uri(), "GET", Map.of(), null, PATIENCE, List.of(401), call.access())))
                .isInstanceOf(Outcome.Succeeded.class);

        assertThat(tokens.requests()).hasSize(1);
    }

    @Test
    void theTokenIsInNothingThatIsKept() {
        receiver.answer(request -> Answer.of(200, "you sent " + request.header("Authorization")));
        assertThat(dispatch())
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output().path("body").asText()).isEqualTo("you sent Bearer [redacted]"));
        receiver.answer(request -> Answer.of(500, "you sent " + request.header("Authorization")));
        assertThat(retryableFailure(dispatch()).body()).isEqualTo("you sent Bearer [redacted]");
    }

    private static Failure retryableFailure(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
        return ((Outcome.RetryableFailure) outcome).failure();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            400 | {"error": "invalid_client"}         | HTTP 400 Bad Request (invalid_client)
            401 | {"error": "unauthorized_client"}    | HTTP 401 Unauthorized (unauthorized_client)
            403 | s3cr:et                             | HTTP 403 Forbidden
            404 | {"error": "<script> s3cr:et"}       | HTTP 404 Not Found
            302 | {}                                  | HTTP 302 Found
            """)
    void aRefusalOfTheTokenServerIsAPermanentFailure(int status, String body, String reason) {
        tokens.answer(Answer.of(status, body));

        assertThat(dispatch())
                .isEqualTo(new Outcome.PermanentFailure(
                        new Failure(Failure.Type.INVALID_CONFIGURATION, "The token server refuses: " + reason)));

        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aTransientFailureIsRetryableAndRemembered() {
        tokens.answer(Answer.of(503, "s3cr:et").with("Retry-After", "7"));
        for (var i = 0; i < 5; i++) {
            assertThat(dispatch())
                    .isEqualTo(new Outcome.RetryableFailure(
                            new Failure(Failure.Type.HTTP_ERROR, "No access token: HTTP 503 Service Unavailable"),
                            Duration.ofSeconds(7)));
        }
        assertThat(tokens.requests()).hasSize(1);
        tokens.clear();
        tokens.answer(Answer.of(400, "{\"error\": \"temporarily_unavailable\"}"));
        dispatcher = bed.dispatcher(EgressConfig.Mode.OPEN);
        assertThat(retryableFailure(dispatch()).type()).isEqualTo(Failure.Type.HTTP_ERROR);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "null", "[]", "no JSON", "{}", "{\"access_token\": \"a b\"}", "{\"access_token\": \"a\\nb\"}"
            })
    void anAnswerWithoutATokenIsARetryableFailure(String body) {
        tokens.answer(Answer.of(200, body));

        assertThat(retryableFailure(dispatch()))
                .isEqualTo(new Failure(
                        Failure.Type.HTTP_ERROR, "The token server's answer has no access_token that can be used"));
    }

    @Test
    void aTokenOfAnotherTypeIsAPermanentFailure() {
        tokens.answer(Answer.of(200, "{\"access_token\": \"abc\", \"token_type\": \"DPoP\"}"));

        assertThat(dispatch()).isInstanceOf(Outcome.PermanentFailure.class);
    }

    @Test
    void aTokenServerThatIsSilentCountsForTheTimeoutOfTheCall() {
        tokens.answer(Answer.of(200, "{}").after(new CompletableFuture<>()));

        assertThat(dispatch(call(credentials(Auth.BASIC)).within(Duration.ofMillis(400))))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"), null));
    }

    @Test
    void theTimeThatTheTokenTookIsNotThereForTheCall() {
        receiver.answer(Answer.of(200, "{}").after(new CompletableFuture<>()));

        assertThat(dispatch(call(credentials(Auth.BASIC)).within(Duration.ofMillis(400))))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"), null));
    }

    @Test
    void theGuardStandsBeforeTheTokenServerToo() {
        var policy = new EgressPolicy(EgressConfig.Mode.OPEN, List.of(), List.of(Cidr.parse("127.0.0.2")));
        var guard = new EgressGuard(
                policy, new AddressCache(HostLookup.SYSTEM, Runnable::run, System::nanoTime), TestEgress.NO_INTERFACES);
        dispatcher = bed.dispatcher(guard, new HttpClientOptions());

        var outcome = dispatch(call(at("http://127.0.0.2:" + tokens.port() + "/token")));

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.PermanentFailure.class,
                        it -> assertThat(it.failure().type()).isEqualTo(Failure.Type.EGRESS_BLOCKED));
        assertThat(tokens.requests()).isEmpty();
    }

    private static ClientCredentials at(String url) {
        return new ClientCredentials(url, "me", "s3cr:et", null, null, Auth.BASIC);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://a b/s3cr:et", "ftp://a.example/s3cr:et", "http://s3cr:et@a.example/"})
    void anInvalidAddressIsAPermanentFailureAndIsNotRepeated(String url) {
        assertThat(dispatch(call(at(url)))).isInstanceOfSatisfying(Outcome.PermanentFailure.class, it -> {
            assertThat(it.failure().type()).isEqualTo(Failure.Type.INVALID_CONFIGURATION);
            assertThat(it.failure().message()).startsWith("oauth2.token_url").doesNotContain("s3cr:et");
        });
    }
}
