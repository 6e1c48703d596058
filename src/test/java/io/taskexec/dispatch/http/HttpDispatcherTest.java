package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.call;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static io.taskexec.testing.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Receiver;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDispatcherTest {
    private static HttpTestBed bed;
    private static Receiver receiver;

    @BeforeAll
    static void open() {
        bed = new HttpTestBed();
        receiver = new Receiver();
    }

    @AfterAll
    static void close() {
        bed.close();
        receiver.close();
    }

    @BeforeEach
    void clear() {
        receiver.clear();
        receiver.answer(Answer.of(200, "{}"));
    }

    @Test
    void deliversTheRequestUnderItsIdentity() {
        var headers = Map.of("Authorization", "Bearer abc", "X-Custom", "1");
        var outcome = bed.dispatch(call("POST", receiver.uri("/a%20b?c=d"), headers, "{\"ü\":1}"));
        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
        var received = receiver.requests().getFirst();
        assertThat(received.method()).isEqualTo("POST");
        assertThat(received.path()).isEqualTo("/a%20b?c=d");
        assertThat(received.body()).isEqualTo("{\"ü\":1}");
        var headersWithoutTrace = new HashMap<>(received.headers());
        assertThat(headersWithoutTrace.remove("traceparent"))
                .matches("00-0195a000000070008000000000000001-[0-9a-f]{16}-01");
        assertThat(headersWithoutTrace)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("authorization", "Bearer abc"),
                        Map.entry("x-custom", "1"),
                        Map.entry("host", "127.0.0.1:" + receiver.port()),
                        Map.entry("content-type", "application/json"),
                        Map.entry("content-length", "8"),
                        Map.entry("user-agent", "taskexec/test"),
                        Map.entry("idempotency-key", "exec_0195a000000070008000000000000001"),
                        Map.entry("taskexec-execution-id", "exec_0195a000000070008000000000000001"),
                        Map.entry("taskexec-job-id", "job_0195a000000070008000000000000002"),
                        Map.entry("taskexec-attempt", "3"),
                        Map.entry("taskexec-scheduled-for", "2026-03-01T12:00:00.250Z")));
    }

    @Test
    void usersMayChooseTheirContentTypeAndUserAgent() {
        var headers = Map.of("content-type", "application/cloudevents+json", "user-agent", "mine");
        assertThat(bed.dispatch(call("PUT", receiver.uri("/"), headers, "{}"))).isInstanceOf(Outcome.Succeeded.class);
        assertThat(receiver.requests().getFirst().header("Content-Type")).isEqualTo("application/cloudevents+json");
        assertThat(receiver.requests().getFirst().header("User-Agent")).isEqualTo("mine");
    }

    @Test
    void whatAnEndpointCouldSetWhenItWasRegisteredIsSentAsItIs() {
        var mine = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        var headers = Map.of("Traceparent", mine, "Webhook-Signature", "sha256=0", "Ce-Type", "mine");
        assertThat(bed.dispatch(call("POST", receiver.uri("/"), headers, "{}"))).isInstanceOf(Outcome.Succeeded.class);
        var received = receiver.requests().getFirst();
        assertThat(received.header("traceparent")).isEqualTo(mine);
        assertThat(received.header("webhook-signature")).isEqualTo("sha256=0");
        assertThat(received.header("ce-type")).isEqualTo("mine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
    void sendsEveryMethodWithoutABody(String method) {
        assertThat(bed.dispatch(call(method, receiver.uri("/"), Map.of(), null)))
                .isInstanceOf(Outcome.Succeeded.class);
        var received = receiver.requests().getFirst();
        assertThat(received.method()).isEqualTo(method);
        assertThat(received.body()).isEmpty();
        assertThat(received.header("Content-Type")).isNull();
        assertThat(received.header("Transfer-Encoding")).isNull();
        if (method.startsWith("P")) {
            // RFC 9110, 8.6: some servers refuse such a method without a length.
            assertThat(received.header("Content-Length")).isEqualTo("0");
        }
    }

    @Test
    void keepsStatusAndBodyOfTheAnswer() {
        receiver.answer(Answer.of(202, "accepted: ü\0"));
        assertThat(output(bed.dispatch(get(receiver.uri("/")))))
                .isEqualTo("{\"status_code\":202,\"body\":\"accepted: ü\ufffd\"}");
        receiver.answer(Answer.of(204, ""));
        assertThat(output(bed.dispatch(get(receiver.uri("/"))))).isEqualTo("{\"status_code\":204,\"body\":\"\"}");
    }

    @Test
    void anUnexpectedStatusIsAFailureWithItsBody() {
        receiver.answer(Answer.of(503, "down").with("Retry-After", "7"));
        assertThat(bed.dispatch(get(receiver.uri("/"))))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP 503 Service Unavailable", 503, "down"),
                        Duration.ofSeconds(7)));
        receiver.answer(Answer.of(404, "gone"));
        assertThat(bed.dispatch(get(receiver.uri("/"))))
                .isEqualTo(new Outcome.PermanentFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP 404 Not Found", 404, "gone")));
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void aLoopOfRedirectsEndsWithTheFirst(int status) {
        receiver.answer(
                Answer.of(status, "").with("Location", receiver.uri("/first").toString()));
        assertThat(failure(bed.dispatch(get(receiver.uri("/first")))).statusCode())
                .isEqualTo(status);
        assertThat(receiver.requests()).extracting("path").containsExactly("/first");
    }

    @Test
    void keepsTheBeginningOfALongBody() {
        receiver.answer(Answer.of(200, "").with(Buffer.buffer(new byte[10_000_000])));
        assertThat(bed.dispatch(get(receiver.uri("/")))).isInstanceOfSatisfying(Outcome.Succeeded.class, it -> {
            assertThat(it.output().path("truncated").asBoolean()).isTrue();
            assertThat(it.output().path("body").asText()).isEqualTo("\ufffd".repeat(BodyCapture.LIMIT));
        });
        receiver.answer(Answer.of(200, "").with(Buffer.buffer("a".repeat(BodyCapture.LIMIT))));
        assertThat(output(bed.dispatch(get(receiver.uri("/"))))).doesNotContain("truncated");
    }

    @Test
    void doesNotUnpackCompressedBodies() {
        receiver.answer(Answer.of(200, "not really gzip").with("Content-Encoding", "gzip"));
        assertThat(output(bed.dispatch(get(receiver.uri("/"))))).contains("not really gzip");
    }

    @Test
    void thisMachineIsOutOfReachUnlessTheModeIsOpen() {
        for (var mode : List.of(EgressConfig.Mode.PRIVATE, EgressConfig.Mode.PUBLIC)) {
            for (var host : List.of("127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]")) {
                var uri = URI.create("http://" + host + ":" + receiver.port() + "/");
                var outcome = bed.dispatcher(mode)
                        .dispatch(get(uri), DELIVERY)
                        .await()
                        .atMost(PATIENCE);
                assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
                assertThat(failure(outcome).type()).isEqualTo(Failure.Type.EGRESS_BLOCKED);
            }
        }
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void sendsTheNameButConnectsToTheAddressThatWasChecked() {
        assertThat(bed.dispatch(get(URI.create("http://localhost:" + receiver.port() + "/"))))
                .isInstanceOf(Outcome.Succeeded.class);
        assertThat(receiver.requests().getFirst().header("Host")).isEqualTo("localhost:" + receiver.port());
    }

    @Test
    void whatCannotBeSentIsNotSent() {
        var uri = receiver.uri("/");
        var calls = List.of(
                call("POST", uri, Map.of("X-Custom", "a\r\nEvil: 1"), "{}"),
                call("POST", uri, Map.of("X\r\nEvil: 1", "a"), "{}"),
                call("POST", uri, Map.of("Host", "other.example"), "{}"),
                call("POST", uri, Map.of("Transfer-Encoding", "chunked"), "{}"),
                call("POST", uri, Map.of("idempotency-key", "mine"), "{}"),
                call("POST", uri, Map.of("Taskexec-Attempt", "1"), "{}"),
                call("GET / HTTP/1.1\r\nEvil: 1\r\n\r\nGET", uri, Map.of(), null),
                call("CONNECT", uri, Map.of(), null),
                get(URI.create("ftp://127.0.0.1/")),
                get(URI.create("http://user@127.0.0.1:" + receiver.port() + "/")));
        for (var each : calls) {
            var outcome = bed.dispatch(each);
            assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
            assertThat(failure(outcome).type()).isEqualTo(Failure.Type.INVALID_CONFIGURATION);
        }
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aThousandCallsInARowShareAFewConnections() {
        var before = receiver.connections();
        for (var i = 0; i < 1000; i++) {
            assertThat(bed.dispatch(get(receiver.uri("/")))).isInstanceOf(Outcome.Succeeded.class);
        }
        assertThat(receiver.requests()).hasSize(1000);
        assertThat(receiver.connections() - before).isLessThan(20);
    }

    @Test
    void callsFromManyThreadsShareConnectionsToo() {
        var before = receiver.connections();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var i = 0; i < 1000; i++) {
                CompletableFuture.runAsync(
                                () -> {
                                    var _ = bed.dispatch(get(receiver.uri("/")));
                                },
                                threads)
                        .join();
            }
        }
        assertThat(receiver.connections() - before).isLessThan(20);
    }

    @Test
    void manyCallsAtOnceAllArrive() {
        // Those that come last wait for the others.
        var call = get(receiver.uri("/")).withTimeout(PATIENCE.multipliedBy(3));
        var calls = IntStream.range(0, 1000).mapToObj(_ -> bed.dispatcher.dispatch(call, DELIVERY));
        var outcomes = Multi.createFrom()
                .items(calls)
                .onItem()
                .transformToUni(it -> it)
                .merge(1000)
                .collect()
                .asList()
                .await()
                .atMost(PATIENCE.multipliedBy(3));
        assertThat(outcomes).hasSize(1000).allMatch(it -> it instanceof Outcome.Succeeded);
    }

    @Test
    void theDispatcherKnowsTheTransport() {
        var outcome = OpenDispatcher.on(bed.vertx)
                .dispatch(get(receiver.uri("/")), DELIVERY)
                .await()
                .atMost(PATIENCE);
        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
    }

    private static String output(Outcome outcome) {
        return ((Outcome.Succeeded) outcome).output().toString();
    }
}
