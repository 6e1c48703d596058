package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.EventClient;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Deferral: receivers that say later how a delivery ends. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid/base"})
class DeferralIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String CALLBACK = "{'modes': ['callback'], 'timeout': 'PT1H'}";
    private static final String POLL = "{'modes': ['poll'], 'timeout': 'PT1H', 'poll': {"
            + "'succeeded': {'pointer': '/json/state', 'equals': 'done'},"
            + "'failed': {'pointer': '/json/state', 'equals': 'broken'}}}";
    private static final int EARLY = Integer.getInteger("taskexec.callbacks", 2_000);
    private static final int BATCH = 500;
    private static final AtomicInteger NAMES = new AtomicInteger();

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @Inject
    private static Program program;

    @Inject
    private static ServerDb db;

    @BeforeEach
    void clear() {
        receiver.clear();
        defer("callback; timeout=600");
    }

    /** From now on the receiver defers each delivery, and answers polls with what they ask for. */
    private static void defer(String header) {
        receiver.answer(_ -> Answer.of(202, "{}").with("Taskexec-Defer", header));
    }

    /** JSON that is written with single quotes. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static String endpoint(String completion, String more) {
        var name = "deferred-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", json("""
                {'name': '%s', 'type': 'HTTP', 'completion': %s, %s
                  'spec': {'url': '%s', 'method': 'POST', 'headers': {'X-Own': 'mine'}}}
                """.formatted(name, completion, more, receiver.uri("/work"))));
        return name;
    }

    private static String start(String endpoint) {
        return api.create(
                        "/jobs",
                        json("{'endpoint': '%s', 'idempotency_key': 'key-%d', 'trigger': 'IMMEDIATE'}"
                                .formatted(endpoint, NAMES.incrementAndGet())))
                .getString("job_id")
                .replace("job_", "exec_");
    }

    private static JsonPath execution(String id) {
        return api.read("/executions/" + id);
    }

    private static String callbackPath(Received delivery) {
        var url = String.valueOf(delivery.header("Taskexec-Callback-Url"));
        assertThat(url).startsWith("http://public.invalid/base/callbacks/");
        return url.substring("http://public.invalid/base".length());
    }

    /** Calls back without an API key. */
    private static Response callBack(String path, String body) {
        return api.bare().body(json(body)).post(path);
    }

    private static String path(int delivery) throws InterruptedException {
        return callbackPath(receiver.awaitCount(delivery, BOUND).get(delivery - 1));
    }

    @Test
    void aReceiverThatDefersEndsTheExecutionByACallback() throws Exception {
        var id = start(endpoint(CALLBACK, ""));
        var deferred = api.awaitStatus(id, "DEFERRED");
        var path = path(1);

        assertThat(deferred.getString("deferral.mode")).isEqualTo("callback");
        assertThat(deferred.getInt("attempt_count")).isEqualTo(1);
        assertThat(deferred.<Object>get("next_attempt_at")).isNull();
        assertThat(api.read("/executions?status=DEFERRED").getList("items.execution_id"))
                .contains(id);
        assertThat(api.read("/executions/" + id + "/attempts").getString("items[0].status"))
                .isEqualTo("DEFERRED");

        var answer = callBack(path, "{'status': 'succeeded', 'output': {'rows': 3}}");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(200);
        var ended = execution(id);
        assertThat(ended.getString("status")).isEqualTo("SUCCESS");
        assertThat(ended.getInt("output.json.rows")).isEqualTo(3);
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
        assertThat(ended.<Object>get("deferral")).isNull();
        assertThat(answer.jsonPath().getString("status")).isEqualTo("SUCCESS");
        assertRepeated(answer, callBack(path, "{'status': 'succeeded', 'output': {'rows': 3}}"));
        expectError(409, "EXECUTION_ENDED", callBack(path, "{'status': 'succeeded', 'output': {'rows': 4}}"));
        expectError(409, "EXECUTION_ENDED", callBack(path, "{'status': 'heartbeat'}"));
    }

    /** The answer to a callback that comes again is what was recorded when it came first. */
    private static void assertRepeated(Response first, Response again) {
        assertThat(again.statusCode()).as(again.asString()).isEqualTo(200);
        assertThat(again.jsonPath().<Map<String, Object>>get())
                .isEqualTo(first.jsonPath().get());
    }

    @Test
    void aCallbackMayComeBeforeTheAnswer() throws Exception {
        var held = new CompletableFuture<Void>();
        receiver.answer(
                _ -> Answer.of(202, "{}").with("Taskexec-Defer", "callback").after(held));
        var id = start(endpoint(CALLBACK, ""));
        var path = path(1);

        assertThat(callBack(path, "{'status': 'succeeded'}").statusCode()).isEqualTo(200);
        held.complete(null);

        assertThat(execution(id).getString("status")).isEqualTo("SUCCESS");
        assertThat(execution(id).getMap("output")).isEmpty();
    }

    @Test
    void thousandsOfCallbacksThatComeBeforeTheAnswerAreTheEnd() throws Exception {
        var refused = new ConcurrentLinkedQueue<String>();
        try (var client = HttpClient.newHttpClient()) {
            receiver.answer(delivery -> Answer.of(202, "{}")
                    .with("Taskexec-Defer", "callback")
                    .after(client.sendAsync(early(delivery), BodyHandlers.ofString())
                            .thenAccept(answer -> {
                                if (answer.statusCode() != 200) {
                                    refused.add(answer.body());
                                }
                            })
                            .toCompletableFuture()));
            var endpoint = endpoint(CALLBACK, "");
            for (var first = 0; first < EARLY; first += BATCH) {
                createMany(endpoint, first);
            }
            Eventually.await("all have ended", BOUND.multipliedBy(3), () -> endedAtFirst(endpoint) == EARLY);
        }
        assertThat(refused).isEmpty();
        assertThat(receiver.requests()).hasSize(EARLY);
    }

    private static long endedAtFirst(String endpoint) {
        return db.number("""
                SELECT count(*) FROM executions x JOIN jobs USING (job_id)
                WHERE jobs.endpoint = '%s' AND x.status = 'SUCCESS' AND x.attempt_count = 1
                  AND NOT EXISTS (SELECT 1 FROM exec_live l WHERE l.execution_id = x.execution_id)
                  AND NOT EXISTS (SELECT 1 FROM deferrals d WHERE d.execution_id = x.execution_id)
                """.formatted(endpoint));
    }

    private static HttpRequest early(Received delivery) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + program.apiPort() + callbackPath(delivery)))
                .POST(BodyPublishers.ofString(json("{'status': 'succeeded', 'output': {'early': 'yes'}}")))
                .header("Content-Type", "application/json")
                .build();
    }

    private static void createMany(String endpoint, int first) {
        var jobs = IntStream.range(first, first + BATCH)
                .mapToObj(n -> Map.of("endpoint", endpoint, "trigger", "IMMEDIATE", "idempotency_key", "early-" + n))
                .toList();
        var statuses = api.post("/jobs/batch", Map.of("jobs", jobs)).jsonPath().<Integer>getList("items.status");
        assertThat(statuses).hasSize(BATCH).containsOnly(201);
    }

    @Test
    void aFailedCallbackIsRetriedUnlessItIsPermanent() throws Exception {
        var id = start(
                endpoint(CALLBACK, "'retry_policy': {'max_attempts': 3, 'backoff': 'fixed', 'initial_delay_ms': 10},"));
        var first = path(1);
        var failed = "{'status': 'failed', 'error': {'message': 'no paper'}}";

        var retried = callBack(first, failed);
        assertThat(retried.jsonPath().getString("status")).isEqualTo("RETRYING");
        assertThat(retried.jsonPath().getString("error.message")).isEqualTo("no paper");
        var second = path(2);

        assertThat(second).isNotEqualTo(first);
        assertRepeated(retried, callBack(first, failed));
        expectError(410, "ATTEMPT_ENDED", callBack(first, "{'status': 'succeeded'}"));
        var onFire = "{'status': 'failed', 'error': {'message': 'on fire', 'permanent': true}}";
        var answer = callBack(second, onFire);
        assertThat(answer.jsonPath().getString("status")).isEqualTo("FAILED");
        assertRepeated(answer, callBack(second, onFire));
        var ended = execution(id);
        assertThat(ended.getString("error.type")).isEqualTo("RECEIVER_FAILED");
        assertThat(ended.getString("error.message")).isEqualTo("on fire");
        assertThat(ended.getInt("attempt_count")).isEqualTo(2);
    }

    @Test
    void progressIsShownWithItsRateAndAsAnEvent() throws Exception {
        var id = start(endpoint(CALLBACK, ""));
        var path = path(1);
        var _ = api.awaitStatus(id, "DEFERRED");

        try (var events = EventClient.of(api, "?type=io.taskexec.execution.progress", Map.of())) {
            assertThat(callBack(path, "{'status': 'progress', 'progress': {'current': 10, 'total': 40}}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(callBack(
                                    path,
                                    "{'status': 'progress', 'extend': 'PT1H', 'progress': {'current': 20, 'total': 40,"
                                            + " 'message': 'half'}}")
                            .statusCode())
                    .isEqualTo(200);
            var data = events.await(2).getLast().data();
            assertThat(data.at("/data/execution_id").asText()).isEqualTo(id);
            assertThat(data.at("/data/status").asText()).isEqualTo("DEFERRED");
            assertThat(data.at("/data/progress/current").asInt()).isEqualTo(20);
        }
        var shown = execution(id);

        assertThat(shown.getDouble("progress.percent")).isEqualTo(50);
        assertThat(shown.getString("progress.message")).isEqualTo("half");
        assertThat(shown.getDouble("progress.rate_per_sec")).isPositive();
        assertThat(shown.getString("progress.estimated_completion_at")).isNotNull();
        expectError(400, "INVALID_REQUEST", callBack(path, "{'status': 'heartbeat', 'extend': 'PT2H'}"));
    }

    @Test
    void nothingThatACallbackSaysShowsASecret() throws Exception {
        api.secret("parrot", "sk-live-0815");
        api.secret("pin", "4815162342");
        var name = "deferred-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", json("""
                {'name': '%s', 'type': 'HTTP', 'completion': %s, 'spec': {'url': '%s', 'method': 'POST',
                  'headers': {'Authorization': 'Bearer {{secret.parrot}}', 'X-Pin': '{{secret.pin}}'}}}
                """.formatted(name, CALLBACK, receiver.uri("/work"))));
        var id = start(name);
        var path = path(1);
        var _ = api.awaitStatus(id, "DEFERRED");

        assertThat(callBack(path, "{'status': 'progress', 'progress': {'current': 1, 'message': 'got sk-live-0815'}}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(execution(id).getString("progress.message")).isEqualTo("got [redacted]");
        assertThat(callBack(
                                path,
                                "{'status': 'succeeded', 'output': {'sk-live-0815': true, 'pin': 4815162342, 'n': 7}}")
                        .statusCode())
                .isEqualTo(200);

        assertThat(execution(id).getMap("output.json"))
                .isEqualTo(Map.of("[redacted]", true, "pin", "[redacted]", "n", 7));
    }

    @Test
    void aReadThatWaitsIsAnsweredOnAChange() throws Exception {
        var id = start(endpoint(CALLBACK, ""));
        var path = path(1);
        var _ = api.awaitStatus(id, "DEFERRED");
        var waiting = CompletableFuture.supplyAsync(() -> execution(id + "?wait=PT50S"));

        Eventually.await("the read has begun", BOUND, () -> {
            var _ = callBack(path, "{'status': 'progress', 'progress': {'current': 1}}");
            return waiting.isDone();
        });
        assertThat(waiting.join().getDouble("progress.current")).isEqualTo(1);
        expectError(400, "INVALID_REQUEST", api.get("/executions/" + id + "?wait=PT2M"));
        assertThat(callBack(path, "{'status': 'succeeded'}").statusCode()).isEqualTo(200);
        assertThat(execution(id + "?wait=PT50S").getString("status")).isEqualTo("SUCCESS");
    }

    @Test
    void aPolledReceiverIsAskedUntilItsConditionHolds() throws Exception {
        var answers = new AtomicInteger();
        receiver.answer(request -> request.method().equals("GET")
                ? Answer.of(200, answers.incrementAndGet() < 2 ? "{\"state\": \"busy\"}" : "{\"state\": \"done\"}")
                : Answer.of(202, "{}")
                        .with("Taskexec-Defer", "poll; every=5; timeout=60")
                        .with("Location", "/status/7"));
        var id = start(endpoint(POLL, ""));

        var ended = api.awaitStatus(id, "SUCCESS");

        assertThat(ended.getString("output.json.state")).isEqualTo("done");
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
        var polls = receiver.requests().stream()
                .filter(request -> request.method().equals("GET"))
                .toList();
        assertThat(polls).hasSize(2).allSatisfy(poll -> {
            assertThat(poll.path()).isEqualTo("/status/7");
            assertThat(poll.header("X-Own")).isEqualTo("mine");
        });
    }

    @Test
    void aDeferralThatIsTooLongFails() throws Exception {
        defer("callback; timeout=1");
        var id = start(endpoint(CALLBACK, "'retry_policy': {'max_attempts': 1},"));
        var path = path(1);

        var ended = api.awaitStatus(id, "FAILED");

        assertThat(ended.getString("error.type")).isEqualTo("DEFERRAL_TIMEOUT");
        expectError(409, "EXECUTION_ENDED", callBack(path, "{'status': 'succeeded'}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "someday                    |                          | neither 'callback' nor 'poll'",
                "callback; timeout=7200     |                          | more than the 3600 s",
                "callback; timeout=0        |                          | timeout of 0",
                "callback; timeout=1e3      |                          | whole seconds",
                "callback; every=30         |                          | whole seconds",
                "callback; timeout=1; timeout=2 |                      | twice",
                "poll; every=4              | /status                  | at least 5 s",
                "poll                       |                          | no Location",
                "poll                       | http://other.example/x   | another origin",
                "poll                       | ftp://other.example/x    | not of HTTP",
                "poll                       | http://[                 | no URL"
            })
    void aDeferralThatIsNotAllowedFailsForGood(String header, String location, String message) throws Exception {
        receiver.answer(_ -> location == null
                ? Answer.of(202, "{}").with("Taskexec-Defer", header)
                : Answer.of(202, "{}").with("Taskexec-Defer", header).with("Location", location));
        var id = start(endpoint("{'modes': ['callback', 'poll'], 'timeout': 'PT1H'}", ""));

        var ended = api.awaitStatus(id, "FAILED");

        assertThat(ended.getString("error.type")).isEqualTo("INVALID_DEFERRAL");
        assertThat(ended.getString("error.message")).contains(message);
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
    }

    @Test
    void aReceiverThatMayNotDeferSucceeds() throws Exception {
        var name = "plain-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", json("""
                {'name': '%s', 'type': 'HTTP', 'spec': {'url': '%s', 'method': 'POST'}}
                """.formatted(name, receiver.uri("/work"))));
        var id = start(name);

        assertThat(api.awaitStatus(id, "SUCCESS").getInt("output.status_code")).isEqualTo(202);
        assertThat(receiver.requests().getFirst().header("Taskexec-Callback-Url"))
                .isNull();
        var line = "Taskexec-Defer of " + receiver.uri("/").getHost() + " is ignored: its endpoint has no completion";
        Eventually.await("a line in the log", BOUND, () -> program.output().contains(line));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'modes': []}                                                | /completion/modes",
                "{'modes': ['mail']}                                          | /completion/modes",
                "{'modes': ['callback', 'callback']}                          | /completion/modes",
                "{'modes': ['callback'], 'timeout': 'P400D'}                  | /completion/timeout",
                "{'modes': ['callback'], 'timeout': 'PT0.5S'}                 | /completion/timeout",
                "{'modes': ['poll'], 'always': true}                          | /completion/always",
                "{'modes': ['poll'], 'heartbeat_timeout': 'PT10S'}            | /completion/heartbeat_timeout",
                "{'modes': ['callback'], 'heartbeat_timeout': 'PT1S'}         | /completion/heartbeat_timeout",
                "{'modes': ['callback'], 'poll': {}}                          | /completion/poll",
                "{'modes': ['poll'], 'poll': {'succeeded': 1}}                | /completion/poll/succeeded",
                "{'modes': ['poll'], 'poll_origins': ['https://a.example/x']} | /completion/poll_origins",
                "{'modes': ['callback'], 'sometimes': true}                   | /completion/sometimes"
            })
    void anEndpointWithTermsThatCannotBeIsRefused(String completion, String pointer) {
        var answer = api.post("/endpoints", json("""
                {'name': 'refused', 'type': 'HTTP', 'completion': %s,
                  'spec': {'url': 'https://receiver.example', 'method': 'POST'}}
                """.formatted(completion)));

        expectError(400, "INVALID_REQUEST", answer);
        assertThat(answer.jsonPath().getList("error.details.pointer")).contains(pointer);
    }

    @Test
    void badCallbacksChangeNothing() throws Exception {
        var id = start(endpoint(CALLBACK, ""));
        var path = path(1);
        var _ = api.awaitStatus(id, "DEFERRED");

        for (var body : List.of(
                "",
                "[]",
                "{}",
                "{'status': 'done'}",
                "{'status': 'succeeded', 'error': {'message': 'x'}}",
                "{'status': 'failed'}",
                "{'status': 'failed', 'error': {}}",
                "{'status': 'progress'}",
                "{'status': 'progress', 'progress': {'current': -1}}",
                "{'status': 'progress', 'progress': {'current': 2, 'total': 1}}",
                "{'status': 'heartbeat', 'extend': 'soon'}",
                "{'status': 'heartbeat', 'colour': 'red'}")) {
            expectError(400, "INVALID_REQUEST", callBack(path, body));
        }
        expectError(
                413,
                "PAYLOAD_TOO_LARGE",
                callBack(path, "{'status': 'succeeded', 'output': '" + "x".repeat(70_000) + "'}"));
        for (var token : List.of("x", "k1.AAAA", path.substring(11, path.length() - 1), path.substring(11) + "A")) {
            expectError(404, "CALLBACK_NOT_FOUND", callBack("/callbacks/" + token, "{'status': 'succeeded'}"));
        }
        assertThat(execution(id).getString("status")).isEqualTo("DEFERRED");
    }

    @Test
    void tooManyCallbacksOfOneAttemptAreRefused() throws Exception {
        var _ = start(endpoint(CALLBACK, ""));
        var path = path(1);

        var statuses = IntStream.range(0, 100)
                .parallel()
                .mapToObj(_ -> callBack(path, "{'status': 'heartbeat'}").statusCode())
                .toList();

        assertThat(statuses).contains(200, 429);
    }

    @Test
    void aDeferredExecutionIsCancelledWithoutForce() throws Exception {
        var id = start(endpoint(CALLBACK, ""));
        var path = path(1);
        var _ = api.awaitStatus(id, "DEFERRED");

        assertThat(api.post("/executions/" + id + "/cancel", Map.of()).statusCode())
                .isEqualTo(200);

        expectError(409, "EXECUTION_ENDED", callBack(path, "{'status': 'succeeded'}"));
        assertThat(execution(id).getString("status")).isEqualTo("CANCELLED");
    }

    @Test
    void anAdministratorCompletesADeferredExecutionById() throws Exception {
        var id = start(endpoint(CALLBACK, ""));
        var _ = api.awaitStatus(id, "DEFERRED");
        var path = "/executions/" + id + "/callback";

        expectError(
                401,
                "UNAUTHORIZED",
                api.bare().body(json("{'status': 'succeeded'}")).post(path));
        assertThat(api.post(path, json("{'status': 'succeeded'}")).statusCode()).isEqualTo(200);
        expectError(409, "CONFLICT", api.post(path, json("{'status': 'succeeded'}")));
        assertThat(execution(id).getString("status")).isEqualTo("SUCCESS");
    }
}
