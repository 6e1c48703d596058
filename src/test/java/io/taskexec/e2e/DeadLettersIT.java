package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Executions that have failed: found by class and repeated in bulk, while schedulers come and go. */
class DeadLettersIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    private static final Receiver receiver = new Receiver();
    private static final ServerDb db = ServerDb.fresh(DeadLettersIT.class);
    private static final Program program =
            // Receivers fail on purpose here, which must not make what follows wait.
            Program.serving(db)
                    .with("TE_BREAKER_FAILURE_PERCENT", "0")
                    .arguments("--roles=api,worker")
                    .start();
    private static final Api api = program.api();

    private static Program scheduler;

    @BeforeAll
    static void start() throws InterruptedException {
        program.awaitReady();
        scheduler = startScheduler();
    }

    @AfterAll
    static void stop() {
        scheduler.close();
        program.close();
        receiver.close();
    }

    @BeforeEach
    void begin() {
        receiver.clear();
    }

    private static Program startScheduler() throws InterruptedException {
        return Program.serving(db).arguments("--roles=scheduler").startReady();
    }

    /** Jobs whose executions all fail, since the receiver is ill; it is well again after that. */
    private static void dead(String endpoint, int count) throws InterruptedException {
        receiver.answer(Answer.of(500, "{}"));
        api.endpoint(endpoint, receiver.uri("/"), Map.of("max_attempts", 1));
        var jobs = IntStream.range(0, count)
                .mapToObj(n -> Api.immediateJob(endpoint, endpoint + n))
                .toList();
        assertThat(api.post("/jobs/batch", Map.of("jobs", jobs)).statusCode()).isEqualTo(200);
        awaitCount("status=FAILED&endpoint=" + endpoint, count);
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    private static void awaitCount(String query, int count) throws InterruptedException {
        Eventually.await(
                count + " executions with " + query,
                BOUND,
                () -> executions(query).size(),
                found -> found == count);
    }

    private static List<String> executions(String query) {
        return api.read("/executions?limit=200&" + query).getList("items.execution_id");
    }

    private static JsonPath bulk(String endpoint, String more) {
        return api.create("/executions/bulk", body(endpoint, more));
    }

    private static String body(String endpoint, String more) {
        return "{\"action\": \"retry\", \"filter\": {\"endpoint\": \"%s\"}, %s}".formatted(endpoint, more);
    }

    private static JsonPath ended(JsonPath operation) throws InterruptedException {
        return Eventually.await(
                "the end of the operation",
                BOUND,
                () -> api.read("/operations/" + operation.getString("operation_id")),
                seen -> !seen.getString("status").equals("RUNNING"));
    }

    @Test
    void whatFailedIsFoundByItsClassTriedDryAndRepeatedWithSuccess() throws InterruptedException {
        dead("ill", 30);

        assertThat(executions("error_type=HTTP_ERROR&endpoint=ill")).hasSize(30);
        assertThat(executions("error_type=TIMEOUT&endpoint=ill")).isEmpty();
        var dry = api.post("/executions/bulk", body("ill", "\"dry_run\": true"));
        assertThat(dry.statusCode()).isEqualTo(200);
        assertThat(dry.jsonPath().getInt("count")).isEqualTo(30);
        assertThat(dry.jsonPath().getBoolean("more")).isFalse();
        assertThat(dry.jsonPath().<String>getList("sample.execution_id"))
                .isEqualTo(executions("status=FAILED&endpoint=ill").subList(0, 10));
        assertThat(receiver.requests()).isEmpty();

        var operation = bulk("ill", "\"rate_per_sec\": 1000");
        assertThat(operation.getString("status")).isEqualTo("RUNNING");
        assertThat(operation.getInt("total")).isEqualTo(30);
        assertThat(operation.getString("filter.status")).isEqualTo("FAILED");
        var ended = ended(operation);

        assertThat(ended.getString("status")).isEqualTo("SUCCEEDED");
        assertThat(ended.getInt("done")).isEqualTo(30);
        awaitCount("status=SUCCESS&endpoint=ill", 30);
        assertThat(executions("status=FAILED&endpoint=ill&retried=false")).isEmpty();
        assertThat(api.read("/executions/" + dry.jsonPath().getString("sample[0].execution_id"))
                        .getString("retried_as"))
                .startsWith("exec_");
        assertThat(api.read("/executions?status=FAILED&endpoint=ill&retried=true&limit=200")
                        .<String>getList("items.retried_as"))
                .containsExactlyInAnyOrderElementsOf(executions("status=SUCCESS&endpoint=ill"));
        assertThat(api.read("/operations").<String>getList("items.operation_id"))
                .contains(operation.getString("operation_id"));
        assertThat(api.read("/audit?kind=operation").<String>getList("items.resource"))
                .contains(operation.getString("operation_id"))
                .doesNotContain("bulk");
    }

    @Test
    void aSlowOperationStopsWhenItIsCancelled() throws InterruptedException {
        dead("slow", 20);
        var operation = bulk("slow", "\"rate_per_sec\": 1");
        var path = "/operations/" + operation.getString("operation_id");
        Eventually.await("the first one", BOUND, () -> api.read(path).getInt("done") > 0);

        var cancelled = api.act(path + "/cancel");

        assertThat(cancelled.getString("status")).isEqualTo("CANCELLED");
        assertThat(cancelled.getInt("done")).isLessThan(20);
        // Another one that runs to its end shows that schedulers have been at work since.
        assertThat(ended(bulk("none", "\"max\": 1")).getString("status")).isEqualTo("SUCCEEDED");
        assertThat(executions("status=FAILED&endpoint=slow&retried=true")).hasSize(cancelled.getInt("done"));
        assertThat(api.request().post(path + "/cancel").statusCode()).isEqualTo(409);
    }

    @Test
    void anOperationGoesOnWhenItsSchedulerIsKilledAndRepeatsNothingTwice() throws InterruptedException {
        dead("interrupted", 200);
        var operation = bulk("interrupted", "\"rate_per_sec\": 40");
        var path = "/operations/" + operation.getString("operation_id");
        Eventually.await("some of it", BOUND, () -> api.read(path).getInt("done") >= 20);

        scheduler.kill();
        var half = api.read(path);
        assertThat(half.getString("status")).isEqualTo("RUNNING");
        assertThat(half.getInt("done")).isLessThan(200);
        scheduler = startScheduler();

        assertThat(ended(operation).getInt("done")).isEqualTo(200);
        awaitCount("status=SUCCESS&endpoint=interrupted", 200);
        var received = receiver.requests();
        assertThat(received).hasSize(200);
        assertThat(received.stream().map(request -> request.body()).distinct()).hasSize(200);
    }

    @Test
    void noMoreThanTwentyOperationsRunAtOnce() throws InterruptedException {
        scheduler.kill();
        var running =
                IntStream.range(0, 20).mapToObj(_ -> bulk("none", "\"max\": 1")).toList();

        var answer = api.post("/executions/bulk", body("none", "\"max\": 1"));

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.<String>path("error.code")).isEqualTo("CONFLICT");
        scheduler = startScheduler();
        for (var operation : running) {
            assertThat(ended(operation).getString("status")).isEqualTo("SUCCEEDED");
        }
    }
}
