package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ServerTest
class IdempotencyIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final int AT_ONCE = 200;

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb db;

    @Inject
    private static Api api;

    @BeforeAll
    static void setUp() {
        api.endpoint("one", receiver.uri("/one"), Map.of("max_attempts", 1));
        api.endpoint("two", receiver.uri("/two"), Map.of("max_attempts", 1));
    }

    @AfterEach
    void forget() throws InterruptedException {
        Eventually.await(
                "nothing is under way",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live WHERE visible_at <= now() OR lease_token IS NOT NULL"),
                count -> count == 0);
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    @Test
    void theSameRequestAgainAnswersWithTheSameJob() throws InterruptedException {
        var first = api.post("/jobs", Api.immediateJob("one", "again"));
        var ended = api.ended(first.path("execution.execution_id"));

        var second = api.post("/jobs", Api.immediateJob("one", "again"));

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.header("Idempotent-Replayed")).isNull();
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(second.<String>path("job_id")).isEqualTo(first.path("job_id"));
        assertThat(second.<String>path("execution.execution_id")).isEqualTo(ended.getString("execution_id"));
        assertThat(second.<String>path("execution.status")).isEqualTo("SUCCESS");
        assertThat(second.<Map<String, Object>>path("$"))
                .containsOnlyKeys(first.<Map<String, Object>>path("$").keySet());
        awaitAllDelivered();
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void ofTwoHundredAtOnceOneCreatesTheJobAndAllGetIt() throws InterruptedException {
        var job = assertOneCreates(atOnce(Collections.nCopies(AT_ONCE, "{\"n\":1}"), "equal"));

        var _ = receiver.awaitCount(1, BOUND);
        awaitAllDelivered();
        assertThat(receiver.requests()).hasSize(1);
        assertThat(receiver.requests().getFirst().header("Taskexec-Job-Id")).isEqualTo(job);
        assertThat(rows("jobs", "equal")).isEqualTo(1);
        assertThat(rows("idempotency_keys", "equal")).isEqualTo(1);
    }

    @Test
    void ofTwoHundredAtOnceOneCreatesTheScheduleAndAllGetIt() {
        var body = """
                {"endpoint": "two", "trigger": "CRON", "cron": "0 0 1 1 *", "timezone": "UTC",
                 "idempotency_key": "schedule", "input": {"n": 1}}""";

        var job = assertOneCreates(send(Collections.nCopies(AT_ONCE, body)));

        assertThat(rows("jobs", "schedule")).isEqualTo(1);
        assertThat(rows("idempotency_keys", "schedule")).isEqualTo(1);
        assertThat(db.texts("SELECT job_id FROM schedules"))
                .containsExactly(Api.uuid(job).toString());
        var _ = api.act("/jobs/" + job + "/cancel");
    }

    /** Gives the job's id. */
    private static String assertOneCreates(List<HttpResponse<String>> responses) {
        assertThat(statuses(responses)).isEqualTo(Map.of(201, 1L, 200, AT_ONCE - 1L));
        assertThat(responses)
                .allSatisfy(response -> assertThat(response.headers().allValues("Idempotent-Replayed"))
                        .isEqualTo(response.statusCode() == 200 ? List.of("true") : List.of()));
        assertThat(responses.stream().map(IdempotencyIT::jobId).distinct()).hasSize(1);
        return jobId(responses.getFirst());
    }

    private static long rows(String table, String key) {
        return db.number("SELECT count(*) FROM %s WHERE idempotency_key = '%s'".formatted(table, key));
    }

    @Test
    void ofDifferentRequestsAtOnceUnderOneKeyOneWins() throws InterruptedException {
        var inputs = Stream.iterate(0, n -> n + 1)
                .limit(AT_ONCE)
                .map(n -> "{\"n\":" + n + "}")
                .toList();

        var responses = atOnce(inputs, "different");

        assertThat(statuses(responses)).isEqualTo(Map.of(201, 1L, 422, AT_ONCE - 1L));
        var _ = receiver.awaitCount(1, BOUND);
        awaitAllDelivered();
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void anotherRequestUnderTheSameKeyIsRefused() {
        var job = api.create("/jobs", Api.immediateJob("one", "reused"));
        var others = List.of("""
                {"endpoint": "one", "trigger": "IMMEDIATE", "idempotency_key": "reused",
                 "input": {"n": "other"}}""", """
                {"endpoint": "one", "trigger": "DELAYED", "delay": "PT1S", "idempotency_key": "reused",
                 "input": {"n": "reused"}}""", """
                {"endpoint": "one", "trigger": "IMMEDIATE", "idempotency_key": "reused", "priority": 1,
                 "input": {"n": "reused"}}""");

        for (var other : others) {
            var response = api.post("/jobs", other);

            assertThat(response.statusCode()).as(other).isEqualTo(422);
            assertThat(response.<String>path("error.code")).isEqualTo("IDEMPOTENCY_KEY_REUSED");
            assertThat(response.<String>path("error.message")).contains("reused");
        }
        assertThat(api.read("/jobs/" + job.getString("job_id")).getString("input.n"))
                .isEqualTo("reused");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            "input": {"a": 1, "b": [1.50, {"c": "x", "d": null}]} \
                | "input" : { "b":[15e-1,{"d":null,"c":"\\u0078"}], "a":1.0 }
            "input": [1, 100, 0.1, 0] | "input": [1e0, 1E2, 10E-2, -0.0]
            "input": 1e999999999 | "input": 10e999999998
            "tags": ["a", "b"], "input": 1 | "input": 1, "tags": ["b", "a", "a"]
            "trigger": "DELAYED", "run_at": "2035-01-01T12:00:00Z" \
                | "trigger": "DELAYED", "run_at": "2035-01-01T13:00:00.000+01:00"
            "trigger": "DELAYED", "delay": "PT1H" | "trigger": "DELAYED", "delay": "PT60M", "priority": 4
            "trigger": "INTERVAL", "every": "PT1H", "jitter": "PT1M" \
                | "trigger": "INTERVAL", "every": "PT3600S", "jitter": "PT60S", "overlap": "ALLOW", \
            "catch_up": {"mode": "ALL", "max": 1000}
            "trigger": "CRON", "cron": "@daily", "timezone": "UTC" \
                | "trigger": "CRON", "cron": "@daily", "timezone": "UTC", "dst": {"gap": "SHIFT"}, "input": null
            """)
    void theSameRequestSpelledOtherwiseAnswersWithTheSameJob(String first, String second) {
        var key = "spelled-" + first.hashCode();
        var created = api.post("/jobs", spelled(first, key));
        var repeated = api.post("/jobs", spelled(second, key));

        assertThat(created.statusCode()).as(created.asString()).isEqualTo(201);
        assertThat(repeated.statusCode()).as(repeated.asString()).isEqualTo(200);
        assertThat(repeated.<String>path("job_id")).isEqualTo(created.path("job_id"));
        var _ = api.request().post("/jobs/" + created.path("job_id") + "/cancel");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            "input": 1 | "input": "1"
            "input": 1e999999999 | "input": 1e999999998
            "input": 0.1 | "input": 0.10000000000000000001
            "input": 9007199254740993 | "input": 9007199254740992
            "input": [1, 2] | "input": [2, 1]
            "input": {"a": {"b": 1}} | "input": {"a": {}, "b": 1}
            "input": {"a": null} | "input": {}
            "input": true | "input": "true"
            """)
    void anotherValueIsAnotherRequest(String first, String second) {
        var key = "other-" + first.hashCode();
        var created = api.post("/jobs", spelled(first, key));

        assertThat(created.statusCode()).as(created.asString()).isEqualTo(201);
        assertThat(api.post("/jobs", spelled(second, key)).<String>path("error.code"))
                .isEqualTo("IDEMPOTENCY_KEY_REUSED");
    }

    private static String spelled(String fields, String key) {
        return "{\"endpoint\": \"two\", \"idempotency_key\": \"" + key + "\", "
                + (fields.contains("trigger") ? "" : "\"trigger\": \"IMMEDIATE\", ") + fields + "}";
    }

    @Test
    void aWholeRequestInAnotherOrderIsTheSameRequest() {
        var created = api.post("/jobs", """
                {"endpoint": "two", "trigger": "IMMEDIATE", "idempotency_key": "order", "input": {"n": 12.50}}""");
        var repeated = api.post("/jobs", """
                { "input": { "n": 12.5 }, "idempotency_key": "order", "trigger": "IMMEDIATE", "endpoint": "two" }""");

        assertThat(repeated.statusCode()).isEqualTo(200);
        // It is stored as it was written first.
        assertThat(repeated.asString()).contains("12.50");
        assertThat(created.asString()).contains("12.50");
    }

    @Test
    void theSameKeyAtAnotherEndpointIsAnotherJob() throws InterruptedException {
        var one = api.create("/jobs", Api.immediateJob("one", "shared"));
        var two = api.create("/jobs", Api.immediateJob("two", "shared"));

        assertThat(one.getString("job_id")).isNotEqualTo(two.getString("job_id"));
        assertThat(receiver.awaitCount(2, BOUND)).extracting(r -> r.path()).containsExactlyInAnyOrder("/one", "/two");
    }

    @Test
    void theHeaderStandsForTheField() {
        var first = withHeader("by-header", "{\"endpoint\":\"one\",\"trigger\":\"IMMEDIATE\",\"input\":{\"n\":1}}");
        var byField = api.post("/jobs", """
                {"endpoint": "one", "trigger": "IMMEDIATE", "idempotency_key": "by-header", "input": {"n": 1}}""");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.<String>path("idempotency_key")).isEqualTo("by-header");
        assertThat(byField.statusCode()).isEqualTo(200);
        assertThat(byField.<String>path("job_id")).isEqualTo(first.path("job_id"));
    }

    @Test
    void aHeaderThatContradictsTheFieldIsRefused() {
        var response = withHeader("one-key", """
                {"endpoint": "one", "trigger": "IMMEDIATE", "idempotency_key": "another", "input": {"n": 1}}""");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly("/idempotency_key");
    }

    @Test
    void whoGivesNoKeyIsToldSo() {
        var response = api.post("/jobs", "{\"endpoint\":\"one\",\"trigger\":\"IMMEDIATE\",\"input\":{\"n\":1}}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.<String>path("error.code")).isEqualTo("INVALID_REQUEST");
        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly("/idempotency_key");
    }

    private static Response withHeader(String key, String body) {
        return api.request()
                .contentType(ContentType.JSON)
                .header("Idempotency-Key", key)
                .body(body)
                .post("/jobs");
    }

    /** Only then is it known that nothing was sent twice. */
    private static void awaitAllDelivered() throws InterruptedException {
        Eventually.await(
                "no job is active",
                BOUND,
                () -> api.read("/jobs?limit=200").<String>getList("items.status").stream()
                        .noneMatch("ACTIVE"::equals));
    }

    private static List<HttpResponse<String>> atOnce(List<String> inputs, String key) {
        return send(inputs.stream()
                .map(input -> "{\"endpoint\":\"one\",\"trigger\":\"IMMEDIATE\",\"idempotency_key\":\"" + key
                        + "\",\"input\":" + input + "}")
                .toList());
    }

    /** Over HTTP/1.1, where requests that are under way at once do not share a connection. */
    private static List<HttpResponse<String>> send(List<String> bodies) {
        try (var client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            return bodies.stream()
                    .map(body -> HttpRequest.newBuilder(api.uri("/jobs"))
                            .header("Authorization", "Bearer " + api.key())
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(body))
                            .build())
                    .map(request -> client.sendAsync(request, BodyHandlers.ofString()))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        }
    }

    private static Map<Integer, Long> statuses(List<HttpResponse<String>> responses) {
        return responses.stream().collect(Collectors.groupingBy(HttpResponse::statusCode, Collectors.counting()));
    }

    private static String jobId(HttpResponse<String> response) {
        return response.body().replaceFirst("^.*\"job_id\":\"([^\"]+)\".*$", "$1");
    }
}
