package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Flow control of endpoints, with the recipes of its page. */
@ServerTest
class FlowIT {
    private static final Path PAGE = Path.of("docs/flow.md");
    private static final Pattern RECIPE = Pattern.compile("/endpoints -d '(\\{.*?\\})'", Pattern.DOTALL);
    private static final Duration BOUND = Duration.ofSeconds(20);

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb database;

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    /** Registers a recipe of the page, with the receiver of this test. */
    private static void recipe(String name) throws IOException {
        var body = RECIPE.matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .filter(found -> found.contains("\"" + name + "\""))
                .findFirst()
                .orElseThrow();
        var _ = api.create(
                "/endpoints",
                body.replace("http://127.0.0.1:9999", receiver.uri("").toString()));
    }

    private static void endpoint(String name, String flow) {
        var _ = api.create("/endpoints", body(name, flow));
    }

    private static String body(String name, String flow) {
        return """
                {"name": "%s", "type": "HTTP", "spec": {"url": "%s", "method": "POST"},
                 "retry_policy": {"max_attempts": 3, "initial_delay_ms": 10}, "flow": %s}
                """.formatted(name, receiver.uri("/" + name), flow.replace('\'', '"'));
    }

    private static JsonPath job(String endpoint, Map<String, ?> input) {
        return api.create(
                "/jobs",
                Map.of(
                        "endpoint",
                        endpoint,
                        "trigger",
                        "IMMEDIATE",
                        "idempotency_key",
                        "k" + System.nanoTime(),
                        "input",
                        input));
    }

    private static String executionOf(JsonPath job) {
        return job.getString("execution.execution_id");
    }

    @Test
    void aTenantHasAtMostFiveReportsAtOnceAndTheOthersAreParked() throws Exception {
        recipe("reports");
        var held = new CompletableFuture<Void>();
        receiver.answer(_ -> Answer.of(200, "{}").after(held));
        var ids = IntStream.range(0, 8)
                .mapToObj(n -> job("reports", Map.of("tenant", "acme", "month", n)))
                .toList();
        var other = job("reports", Map.of("tenant", "umbrella", "month", 1));

        var _ = receiver.awaitCount(6, BOUND);
        Eventually.await("the rest is parked", BOUND, () -> parked() == 3);
        assertThat(receiver.requests()).hasSize(6);
        assertThat(api.read("/jobs/" + other.getString("job_id")).getString("flow_key"))
                .isEqualTo("umbrella");
        var last = api.read("/executions/" + executionOf(ids.getLast()));
        assertThat(last.getString("status")).isEqualTo("QUEUED");
        assertThat(last.getString("next_attempt_at")).isNull();

        held.complete(null);
        for (var id : ids) {
            assertThat(api.ended(executionOf(id)).getString("status")).isEqualTo("SUCCESS");
        }
        assertThat(receiver.awaitCount(9, BOUND)).hasSize(9);
        assertThat(api.ended(executionOf(other)).getString("status")).isEqualTo("SUCCESS");
        assertThat(database.number("SELECT coalesce(sum(open), 0) FROM flow_limits"))
                .isZero();
    }

    private static long parked() {
        return database.number("SELECT count(*) FROM exec_live WHERE flow_state = 1");
    }

    @Test
    void noMoreCallsBeginThanTheRateAllows() throws Exception {
        var stolen = HostClock.stolen();
        endpoint("rated", "{'rate': {'limit': 20, 'per': 'PT1S', 'burst': 5}}");
        var ids = IntStream.range(0, 45)
                .mapToObj(n -> executionOf(job("rated", Map.of("n", n))))
                .toList();

        var starts = new ArrayList<Instant>();
        for (var id : ids) {
            starts.add(Instant.parse(api.ended(id).getString("started_at")));
        }

        var sorted = starts.stream().sorted().toList();
        for (var i = 0; i + 25 < sorted.size(); i++) {
            assertThat(Duration.between(sorted.get(i), sorted.get(i + 25)))
                    .as("from the start %d to the one that is 26th after it", i)
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }
        // Forty after the burst, at a twentieth of a second: it is a limit, and no more than that.
        assertThat(Duration.between(sorted.getFirst(), sorted.getLast()))
                .isLessThan(Duration.ofSeconds(8).plus(HostClock.stolen().minus(stolen)));
    }

    @Test
    void theApiOfTheRecipeGetsItsBurstAndThenOneAtATime() throws Exception {
        recipe("billing-api");
        var jobs = IntStream.range(0, 12)
                .mapToObj(n -> Map.of(
                        "endpoint", "billing-api", "idempotency_key", "invoice-" + n, "input", Map.of("amount", n)))
                .toList();
        var stolen = HostClock.stolen();
        assertThat(api.post("/jobs/batch", Map.of("jobs", jobs)).statusCode()).isEqualTo(200);
        var calls = " FROM executions x JOIN jobs j ON j.job_id = x.job_id WHERE j.endpoint = 'billing-api'";
        Eventually.await("all have ended", BOUND, () -> database.number("SELECT count(*)" + calls) == jobs.size());

        var startsMs = database
                .texts("SELECT (extract(epoch FROM x.started_at - min(x.started_at) OVER ()) * 1000)::bigint" + calls
                        + " ORDER BY x.started_at")
                .stream()
                .map(Long::valueOf)
                .toList();
        assertThat(startsMs.get(9))
                .as("the last of the burst, which begins after 6 s without one")
                .isLessThan(4_000 + HostClock.stolen().minus(stolen).toMillis());
        // 90 a minute: one in two thirds of a second.
        assertThat(startsMs.get(10)).isGreaterThanOrEqualTo(660);
        assertThat(startsMs.get(11)).isGreaterThanOrEqualTo(1300);
    }

    @Test
    void theEventsOfAnOrderArriveInOrderEachWithItsRetries() throws Exception {
        recipe("order-events");
        var seen = new java.util.concurrent.ConcurrentHashMap<String, Integer>();
        receiver.answer(request -> seen.merge(request.body(), 1, Integer::sum) == 1
                        && request.body().contains("\"event\":3")
                ? Answer.of(503, "later")
                : Answer.of(200, "{}"));
        var ids = new ArrayList<String>();
        for (var n = 0; n < 10; n++) {
            for (var order : List.of(1, 2)) {
                ids.add(executionOf(job("order-events", Map.of("order_id", order, "event", n))));
            }
        }

        for (var id : ids) {
            assertThat(api.ended(id).getString("status")).isEqualTo("SUCCESS");
        }

        for (var order : List.of(1, 2)) {
            assertThat(receiver.requests().stream()
                            .map(Received::body)
                            .filter(body -> body.contains("\"order_id\":" + order))
                            .map(body -> Integer.parseInt(body.replaceAll(".*\"event\":(\\d+).*", "$1"))))
                    .containsExactly(0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9);
        }
    }

    /** Those of the first batch wait together until their endpoint has been read, and are stored in several batches. */
    @Test
    void theJobsOfABatchAreDeliveredInItsOrder() throws Exception {
        endpoint("batched", "{'order': 'fifo'}");
        var keys = IntStream.range(0, 300).mapToObj("batched-%d"::formatted).toList();
        var jobs = keys.stream()
                .map(key -> Map.of("endpoint", "batched", "trigger", "IMMEDIATE", "idempotency_key", key))
                .toList();

        assertThat(api.post("/jobs/batch", Map.of("jobs", jobs)).statusCode()).isEqualTo(200);

        assertThat(receiver.awaitCount(keys.size(), Duration.ofSeconds(60))).hasSize(keys.size());
        Eventually.await(
                "the last one is recorded",
                BOUND,
                () -> database.number("SELECT count(*) FROM flow_limits WHERE endpoint = 'batched' AND open > 0") == 0);
        assertThat(database.texts("SELECT j.idempotency_key FROM executions x JOIN jobs j ON j.job_id = x.job_id"
                        + " WHERE j.endpoint = 'batched' ORDER BY x.started_at"))
                .isEqualTo(keys);
    }

    @Test
    void whatIsParkedCanBeCancelledAndAHigherCapReleasesTheRest() throws Exception {
        endpoint("narrow", "{'max_concurrency': 1}");
        var held = new CompletableFuture<Void>();
        receiver.answer(_ -> Answer.of(200, "{}").after(held));
        var ids = IntStream.range(0, 4)
                .mapToObj(n -> executionOf(job("narrow", Map.of("n", n))))
                .toList();
        Eventually.await("three are parked", BOUND, () -> parked() == 3);

        assertThat(api.act("/executions/" + ids.get(1) + "/cancel").getString("status"))
                .isEqualTo("CANCELLED");
        assertThat(api.put("/endpoints/narrow", body("narrow", "{'max_concurrency': 2}"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(receiver.awaitCount(2, BOUND)).hasSize(2);
        assertThat(parked()).isEqualTo(1);
        held.complete(null);

        assertThat(api.ended(ids.get(2)).getString("status")).isEqualTo("SUCCESS");
        assertThat(api.ended(ids.get(3)).getString("status")).isEqualTo("SUCCESS");
    }

    @Test
    void ticksOfAScheduleAndReplaysHaveTheKeyOfTheirJob() throws Exception {
        endpoint("ticking", "{'key': '{{input.tenant}}', 'max_concurrency': 1}");
        var schedule = api.create("/jobs", """
                {"endpoint": "ticking", "trigger": "INTERVAL", "every": "PT1H", "idempotency_key": "tick",
                 "input": {"tenant": "acme"}}""").getString("job_id");
        assertThat(api.read("/jobs/" + schedule).getString("flow_key")).isEqualTo("acme");

        var fired = api.create("/jobs/" + schedule + "/trigger", "{}").getString("execution_id");
        assertThat(api.ended(fired).getString("status")).isEqualTo("SUCCESS");
        var replay = api.create("/executions/" + fired + "/retry", "{}").getString("execution_id");
        assertThat(api.ended(replay).getString("status")).isEqualTo("SUCCESS");

        assertThat(database.texts("SELECT DISTINCT flow_key FROM flow_limits WHERE endpoint = 'ticking'"))
                .containsExactly("acme");
    }

    @Test
    void resultsThatArePassedOnHaveTheKeyOfTheEndpoint() throws Exception {
        endpoint("told", "{'key': '{{input.tenant}}', 'order': 'fifo'}");
        var _ = api.create("/endpoints", """
                {"name": "tells", "type": "HTTP", "spec": {"url": "%s", "method": "POST"}, "on_success": "told"}
                """.formatted(receiver.uri("/tells")));

        var _ = api.ended(api.immediate("tells", "k"));

        assertThat(receiver.awaitCount(2, BOUND)).extracting(Received::path).containsExactly("/tells", "/told");
        Eventually.await(
                "the place is given back",
                BOUND,
                () -> database.number("SELECT count(*) FROM flow_limits WHERE endpoint = 'told' AND flow_key = ''"
                                + " AND open = 0")
                        == 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                            | /flow
            {'order': 'any', 'key': '{{input.a}}'}                        | /flow
            {'max_concurrency': 0}                                        | /flow/max_concurrency
            {'max_concurrency': '5'}                                      | /flow/max_concurrency
            {'rate': {'limit': 0, 'per': 'PT1S'}}                         | /flow/rate/limit
            {'rate': {'limit': 5}}                                        | /flow/rate/per
            {'rate': {'limit': 5, 'per': 'PT0S'}}                         | /flow/rate/per
            {'rate': {'limit': 5, 'per': 'a minute'}}                     | /flow/rate/per
            {'rate': {'limit': 5, 'per': 'PT1S', 'burst': 0}}             | /flow/rate/burst
            {'rate': {'limit': 5, 'per': 'PT1S', 'bursts': 2}}            | /flow/rate/bursts
            {'rate': {'limit': 1, 'per': 'PT720H', 'burst': 122}}         | /flow/rate/burst
            {'order': 'fifo', 'max_concurrency': 2}                       | /flow/max_concurrency
            {'order': 'fifo', 'fair': true, 'key': '{{input.a}}'}         | /flow/fair
            {'order': 'lifo'}                                             | /flow/order
            {'fair': true}                                                | /flow/fair
            {'key': '{{secret.token}}', 'max_concurrency': 1}             | /flow/key
            {'key': '{{config.tenant}}', 'max_concurrency': 1}            | /flow/key
            {'key': '{{input.a', 'max_concurrency': 1}                    | /flow/key
            {'key': '', 'max_concurrency': 1}                             | /flow/key
            5                                                             | /flow
            """)
    void limitsThatMakeNoSenseAreRefused(String flow, String pointer) {
        var refused = expectError(400, "INVALID_REQUEST", api.post("/endpoints", body("senseless", flow)));

        assertThat(refused.<List<String>>path("error.details.pointer")).containsExactly(pointer);
        assertThat(api.get("/endpoints/senseless").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                              | input.tenant
            {'tenant': null}                | input.tenant
            {'tenant': {'name': 'acme'}}    | input.tenant
            {'tenant': ['acme']}            | input.tenant
            null                            | input.tenant
            """)
    void aKeyWithoutAValueIsNamed(String input, String name) {
        expectKeyRefused(input, name);
    }

    @Test
    void aKeyThatIsTooLongIsRefused() {
        expectKeyRefused("{'tenant': '" + "x".repeat(256) + "'}", "255");
    }

    private static void expectKeyRefused(String input, String told) {
        if (api.get("/endpoints/keyed").statusCode() == 404) {
            endpoint("keyed", "{'key': '{{input.tenant}}', 'max_concurrency': 1}");
        }
        var before = database.number("SELECT count(*) FROM jobs");

        var refused = expectError(
                422, "TEMPLATE_RESOLUTION_FAILED", api.post("/jobs", """
                {"endpoint": "keyed", "trigger": "IMMEDIATE", "idempotency_key": "k", "input": %s}
                """.formatted(input.replace('\'', '"'))));

        assertThat(refused.<String>path("error.message")).contains("{{input.tenant}}", "keyed", told);
        assertThat(database.number("SELECT count(*) FROM jobs")).isEqualTo(before);
    }

    @Test
    void anEndpointTakesItsCountersAlongWhenItIsDeleted() throws Exception {
        endpoint("leaving", "{'max_concurrency': 1}");
        var _ = api.ended(executionOf(job("leaving", Map.of())));

        assertThat(api.delete("/endpoints/leaving").statusCode()).isEqualTo(204);

        assertThat(database.number("SELECT count(*) FROM flow_limits WHERE endpoint = 'leaving'"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM flow_policies WHERE endpoint = 'leaving'"))
                .isZero();
    }
}
