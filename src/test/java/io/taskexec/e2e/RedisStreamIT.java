package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.StreamMessage;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Examples;
import io.taskexec.testing.Program;
import io.taskexec.testing.RedisServer;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Jobs whose endpoint is a Redis stream, through the packaged program. */
@ServerTest(
        env = {"TE_BREAKER_FAILURE_PERCENT=0", "TE_PUBLIC_URL=http://public.invalid"},
        own = "It looks at the number of connections.")
class RedisStreamIT {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int MANY = 10_000;
    private static final int BATCH = 1_000;

    @Inject
    private static ServerDb db;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    private static RedisServer redis;
    private static String metricAtRest;

    @BeforeAll
    static void start() throws InterruptedException, IOException {
        redis = RedisServer.start();
        metricAtRest = connections();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static String connections() throws IOException, InterruptedException {
        return program.manage("/q/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("taskexec_redis_connections"))
                .collect(Collectors.joining());
    }

    private static String example(String kind) throws IOException {
        return Examples.body("notifications.yaml", kind).replace("redis://redis-cluster:6379", redis.url());
    }

    /** An endpoint that adds the {@code n} of its input to a stream of its own name. */
    private static void endpoint(String name, String url, Map<String, ?> more, Map<String, ?> retryPolicy) {
        var spec = new HashMap<String, Object>(
                Map.of("redis_url", url, "stream", name, "fields_template", Map.of("n", "{{input.n}}")));
        spec.putAll(more);
        var _ = api.create(
                "/endpoints", Map.of("name", name, "type", "REDIS_STREAM", "spec", spec, "retry_policy", retryPolicy));
    }

    @Test
    void theNotificationOfTheBriefIsAdded() throws InterruptedException, IOException {
        var _ = api.create("/payload-specs", example("PayloadSpec"));
        var _ = api.create("/configs", example("Config"));
        var _ = api.create("/endpoints", example("Endpoint"));

        var job = api.create("/jobs", """
                {"endpoint": "push-notification", "trigger": "IMMEDIATE", "idempotency_key": "brief",
                 "input": {"user_id": "u-1", "title": "Hello", "body": "It is time."}}
                """);
        var execution = api.ended(job.getString("execution.execution_id"));

        assertThat(execution.getString("status")).as(execution.prettify()).isEqualTo("SUCCESS");
        var stored = redis.entries("notifications:outbound").getFirst();
        assertThat(execution.getMap("output"))
                .isEqualTo(Map.of("message_id", stored.getId(), "stream", "notifications:outbound"));
        assertThat(stored.getBody())
                .containsEntry("user_id", "u-1")
                .containsEntry("title", "Hello")
                .containsEntry("body", "It is time.")
                .containsEntry("taskexec-execution-id", execution.getString("execution_id"));
        assertThat(metricAtRest).endsWith(" 0.0");
        assertThat(connections()).matches(".* [1-9]\\.0");
    }

    @Test
    void tenThousandEntriesAreAddedOnceEach() throws InterruptedException {
        endpoint("many", redis.url(), Map.of(), Map.of("max_attempts", 3));
        IntStream.range(0, MANY / BATCH).forEach(RedisStreamIT::createBatch);

        Eventually.await(
                "all have ended",
                BOUND,
                () -> db.number("SELECT count(*) FROM executions JOIN jobs USING (job_id) WHERE endpoint = 'many'"),
                ended -> ended == MANY);

        assertThat(db.texts("SELECT DISTINCT status FROM executions JOIN jobs USING (job_id) WHERE endpoint = 'many'"))
                .containsExactly("SUCCESS");
        var numbers = redis.entries("many").stream()
                .map(StreamMessage::getBody)
                .map(fields -> fields.get("n"))
                .toList();
        assertThat(numbers).hasSize(MANY).doesNotHaveDuplicates();
    }

    private static void createBatch(int batch) {
        var jobs = IntStream.range(batch * BATCH, (batch + 1) * BATCH)
                .mapToObj(n -> """
                        {"endpoint": "many", "trigger": "IMMEDIATE", "idempotency_key": "many-%1$d", "input": {"n": \
                        %1$d}}
                        """.formatted(n))
                .collect(Collectors.joining(","));
        assertThat(api.post("/jobs/batch", "{\"jobs\": [" + jobs + "]}").statusCode())
                .isEqualTo(200);
    }

    @Test
    void aConsumerCompletesTheExecutionWithTheCallbackInItsEntry() throws InterruptedException {
        var spec = Map.of("redis_url", redis.url(), "stream", "completed", "fields_template", Map.of("n", "1"));
        var completion = Map.of("modes", List.of("callback"), "always", true);
        var _ = api.create(
                "/endpoints",
                Map.of("name", "completed", "type", "REDIS_STREAM", "spec", spec, "completion", completion));
        var id = api.immediate("completed", "k");
        Eventually.await(
                "it waits",
                BOUND,
                () -> api.read("/executions/" + id).getString("status").equals("DEFERRED"));

        var url = Objects.requireNonNull(redis.onlyEntry("completed").get("taskexec-callback-url"));
        var answer = api.bare()
                .body(Map.of("status", "succeeded", "output", Map.of("rows", 3)))
                .post(url.substring("http://public.invalid".length()));

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(200);
        assertThat(api.ended(id).getInt("output.json.rows")).isEqualTo(3);
    }

    @Test
    void whileRedisIsDownItIsTriedAgainAndThenAddedOnce() throws InterruptedException {
        try (var unsteady = RedisServer.start()) {
            endpoint(
                    "unsteady",
                    unsteady.url(),
                    Map.of(),
                    Map.of("max_attempts", 1000, "backoff", "fixed", "initial_delay_ms", 50, "max_delay_ms", 50));
            var before = api.immediate("unsteady", "before");
            assertThat(api.ended(before).getString("status")).isEqualTo("SUCCESS");
            unsteady.kill();

            var meanwhile = api.immediate("unsteady", "meanwhile");
            Eventually.await(
                    "some attempts have failed", BOUND, () -> api.attempts(meanwhile), attempts -> attempts.size() > 3);
            assertThat(api.attempts(meanwhile).getFirst().toString())
                    .contains("CONNECTION_ERROR", "127.0.0.1:" + unsteady.port());
            unsteady.startAgain();

            assertThat(api.ended(meanwhile).getString("status")).isEqualTo("SUCCESS");
            assertThat(unsteady.onlyEntry("unsteady")).containsEntry("n", "meanwhile");
        }
    }

    @Test
    void aSecretLogsInAndIsShownNowhere() throws InterruptedException {
        assertThat(redis.say("ACL SETUSER app on >p@ss/word% ~* +@all")).isEqualTo("+OK");
        api.secret("redis_password", "p@ss/word%");
        api.secret("wrong_password", "wr@ng/word%");
        var server = redis.url().replace("redis://", "");
        endpoint("right", "redis://app:{{secret.redis_password}}@" + server, Map.of(), Map.of());
        endpoint("wrong", "redis://app:{{secret.wrong_password}}@" + server, Map.of(), Map.of("max_attempts", 3));

        assertThat(api.ended(api.immediate("right", "k")).getString("status")).isEqualTo("SUCCESS");
        var refused = api.ended(api.immediate("wrong", "k"));

        assertThat(refused.getString("status")).isEqualTo("FAILED");
        assertThat(refused.getString("error.type")).isEqualTo("STREAM_ERROR");
        assertThat(refused.getString("error.message")).contains("WRONGPASS");
        assertThat(refused.getInt("attempt_count")).isEqualTo(1);
        assertThat(refused.prettify() + program.output()).doesNotContain("wr@ng", "wr%40ng", "p@ss", "p%40ss");
    }

    @Test
    void whatCannotBeAddedSaysWhy() throws InterruptedException {
        api.config("lengths", Map.of("text", "100"));
        endpoint("odd-length", redis.url(), Map.of("max_len", 5), Map.of());
        var spec = Map.of(
                "redis_url",
                redis.url(),
                "stream",
                "s",
                "fields_template",
                Map.of("n", "1"),
                "max_len",
                "{{config.text}}");
        var _ = api.update(
                "/endpoints/odd-length",
                Map.of("name", "odd-length", "type", "REDIS_STREAM", "config", "lengths", "spec", spec));
        assertError("odd-length", "k", "INVALID_CONFIGURATION", "max_len resolves to");

        endpoint("null-field", redis.url(), Map.of("fields_template", Map.of("f", "{{input.n}}")), Map.of());
        assertError("null-field", null, "TEMPLATE_RESOLUTION_FAILED", "The field 'f' resolves to null");

        assertThat(redis.say("SET taken text")).isEqualTo("+OK");
        endpoint("taken", redis.url(), Map.of(), Map.of("max_attempts", 5));
        assertError("taken", "k", "STREAM_ERROR", "WRONGTYPE");
    }

    private static void assertError(String endpoint, @Nullable String n, String type, String says)
            throws InterruptedException {
        var input = new HashMap<String, Object>();
        input.put("n", n);
        var job = api.create(
                "/jobs", Map.of("endpoint", endpoint, "trigger", "IMMEDIATE", "idempotency_key", "k", "input", input));
        var execution = api.ended(job.getString("execution.execution_id"));
        assertThat(execution.getString("status")).isEqualTo("FAILED");
        assertThat(execution.getString("error.type")).isEqualTo(type);
        assertThat(execution.getString("error.message")).contains(says);
        assertThat(execution.getInt("attempt_count")).isEqualTo(1);
    }

    @Test
    void namesThatAreOursAreRefusedAtRegistration() {
        var spec = Map.of("redis_url", redis.url(), "stream", "s", "fields_template", Map.of("taskexec-job-id", "1"));

        var response = api.post("/endpoints", Map.of("name", "ours", "type", "REDIS_STREAM", "spec", spec));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly("/spec/fields_template");
    }
}
