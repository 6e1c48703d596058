package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.specification.RequestSpecification;
import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues as a resource, and jobs that name one. */
@ServerTest
class QueuesIT {
    private static final Map<String, Object> NO_RETRY = Map.of("max_attempts", 1);

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb db;

    @Test
    void aQueueIsCreatedShownChangedAndDeleted() {
        var created = api.put("/queues/reports", Map.of("weight", 7, "aging", "PT5M"));
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo("/queues/reports");
        assertThat(created.jsonPath().getMap("$"))
                .containsEntry("name", "reports")
                .containsEntry("weight", 7)
                .containsEntry("aging", "PT5M")
                .containsEntry("paused", false)
                .containsEntry("version", 1)
                .containsKeys("created_at", "updated_at")
                .doesNotContainKeys("paused_at", "paused_until", "pause_reason");

        var tag = created.header("ETag");
        assertThat(api.get("/queues/reports").header("ETag")).isEqualTo(tag);
        assertThat(api.request()
                        .header("If-None-Match", tag)
                        .get("/queues/reports")
                        .statusCode())
                .isEqualTo(304);
        var changed = api.request().header("If-Match", tag).body("{}").put("/queues/reports");
        assertThat(changed.statusCode()).as(changed.asString()).isEqualTo(200);
        assertThat(changed.jsonPath().getMap("$")).containsEntry("weight", 1).doesNotContainKey("aging");
        expectError(
                412,
                "PRECONDITION_FAILED",
                api.request().header("If-Match", tag).body("{}").put("/queues/reports"));
        expectError(
                412,
                "PRECONDITION_FAILED",
                api.request().header("If-Match", "*").body("{}").put("/queues/new"));

        assertThat(api.delete("/queues/reports").statusCode()).isEqualTo(204);
        expectError(404, "QUEUE_NOT_FOUND", api.get("/queues/reports"));
        expectError(404, "QUEUE_NOT_FOUND", api.delete("/queues/reports"));
        expectError(404, "QUEUE_NOT_FOUND", api.post("/queues/reports/pause", Map.of()));
        expectError(404, "QUEUE_NOT_FOUND", api.post("/queues/reports/resume", Map.of()));
    }

    @Test
    void aPauseIsShownUntilTheQueueIsResumed() {
        var _ = api.create("/queues", Map.of("name", "paused"));
        var paused = api.post("/queues/paused/pause", Map.of("until", "2099-01-01T00:00:00Z", "reason", "repairs"));
        assertThat(paused.jsonPath().getMap("$"))
                .containsEntry("paused", true)
                .containsEntry("paused_until", "2099-01-01T00:00:00Z")
                .containsEntry("pause_reason", "repairs")
                .containsKey("paused_at");
        assertThat(api.put("/queues/paused", Map.of("weight", 3)).jsonPath().getBoolean("paused"))
                .isTrue();

        var resumed = api.request().post("/queues/paused/resume");

        assertThat(resumed.jsonPath().getMap("$"))
                .containsEntry("paused", false)
                .doesNotContainKeys("paused_at", "paused_until", "pause_reason");
        assertThat(api.request().post("/queues/paused/pause").jsonPath().getBoolean("paused"))
                .as("the body may be left out")
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PUT  | /queues/bad          | {"weight": 0}                      | /weight
            PUT  | /queues/bad          | {"weight": 101}                    | /weight
            PUT  | /queues/bad          | {"weight": 1.5}                    | /weight
            PUT  | /queues/bad          | {"aging": "PT0S"}                  | /aging
            PUT  | /queues/bad          | {"aging": "-PT5M"}                 | /aging
            PUT  | /queues/bad          | {"aging": "five minutes"}          | /aging
            PUT  | /queues/bad          | {"aging": "PT0.0001S"}             | /aging
            PUT  | /queues/bad          | {"wieght": 2}                      | /wieght
            PUT  | /queues/bad          | {"paused": true}                   | /paused
            PUT  | /queues/bad          | {"name": "other"}                  | /name
            PUT  | /queues/Bad_Name     | {}                                 | /name
            POST | /queues              | {"name": "-bad"}                   | /name
            POST | /queues              | {"weight": 2}                      | /name
            POST | /queues/default/pause | {"until": "2020-01-01T00:00:00Z"} | /until
            POST | /queues/default/pause | {"until": "tomorrow"}             | /until
            POST | /queues/default/pause | {"reason": 7}                     | /reason
            POST | /queues/default/pause | {"untli": "2099-01-01T00:00:00Z"} | /untli
            """)
    void whatCannotBeIsRefusedByItsFieldAndNothingIsStored(String method, String path, String body, String pointer) {
        var response = api.request().body(body).request(method, path);

        assertThat(expectError(400, "INVALID_REQUEST", response).<List<String>>path("error.details.pointer"))
                .containsExactly(pointer);
        assertThat(db.number("SELECT count(*) FROM queues WHERE lower(name) LIKE '%bad%' OR paused_at IS NOT NULL"
                        + " AND name = 'default'"))
                .isZero();
    }

    @Test
    void aDryRunChangesNothing() {
        assertThat(tried().body("{}").put("/queues/tried").statusCode()).isEqualTo(200);
        expectError(404, "QUEUE_NOT_FOUND", api.get("/queues/tried"));
        var _ = api.create("/queues", Map.of("name", "tried"));
        expectError(409, "CONFLICT", tried().body("{\"name\": \"tried\"}").post("/queues"));
        assertThat(tried().delete("/queues/tried").statusCode()).isEqualTo(204);
        assertThat(api.get("/queues/tried").statusCode()).isEqualTo(200);
    }

    private static RequestSpecification tried() {
        return api.request().queryParam("dry_run", true);
    }

    @Test
    void whatIsUsedIsNotDeleted() {
        expectError(409, "CONFLICT", api.delete("/queues/default"));
        register("used", "of-used");
        assertThat(api.read("/queues/of-used").getInt("weight")).isEqualTo(1);
        expectError(409, "CONFLICT", api.delete("/queues/of-used"));

        var _ = api.create("/queues", Map.of("name", "waits"));
        var _ = api.create("/jobs", job("waits"));
        expectError(409, "CONFLICT", api.delete("/queues/waits"));
    }

    @Test
    void aJobWaitsInTheQueueThatItNames() throws InterruptedException {
        register("sorted", "of-sorted");
        var _ = api.create("/queues", Map.of("name", "own"));

        var job = api.create(
                "/jobs", Map.of("endpoint", "sorted", "trigger", "IMMEDIATE", "idempotency_key", "1", "queue", "own"));

        assertThat(job.getString("queue")).isEqualTo("own");
        assertThat(api.read("/jobs/" + job.getString("job_id")).getString("queue"))
                .isEqualTo("own");
        assertThat(api.read("/jobs?queue=own").<String>getList("items.job_id")).contains(job.getString("job_id"));
        var _ = api.ended(job.getString("execution.execution_id"));
        var replay = api.create("/executions/" + job.getString("execution.execution_id") + "/retry", "");
        assertThat(laneOf(replay.getString("execution_id"))).isEqualTo("own");
        var _ = api.ended(replay.getString("execution_id"));

        assertThat(api.delete("/queues/own").statusCode()).isEqualTo(204);
        assertThat(api.read("/jobs/" + job.getString("job_id")).getString("queue"))
                .as("history keeps the name")
                .isEqualTo("own");
        var again = api.create("/executions/" + job.getString("execution.execution_id") + "/retry", "");
        assertThat(laneOf(again.getString("execution_id"))).isEqualTo("of-sorted");
    }

    private static String laneOf(String executionId) {
        var id = "'" + Api.uuid(executionId) + "'";
        return db.texts("SELECT q.name FROM (SELECT lane FROM exec_live WHERE execution_id = " + id
                        + " UNION ALL SELECT lane FROM executions WHERE execution_id = " + id
                        + ") AS x JOIN queues q ON q.queue_id = x.lane >> 7")
                .getFirst();
    }

    @ParameterizedTest
    @ValueSource(strings = {"IMMEDIATE", "INTERVAL"})
    void aJobCreatesNoQueue(String trigger) {
        register("strict", "default");
        var body = trigger.equals("IMMEDIATE")
                ? Map.of("endpoint", "strict", "trigger", trigger, "idempotency_key", "2", "queue", "nowhere")
                : Map.of("endpoint", "strict", "trigger", trigger, "every", "PT1H", "queue", "nowhere");

        var response = expectError(422, "INVALID_QUEUE_REF", api.post("/jobs", body));

        assertThat(response.<String>path("error.message")).contains("'nowhere'");
        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly("/queue");
        expectError(404, "QUEUE_NOT_FOUND", api.get("/queues/nowhere"));
        assertThat(db.number("SELECT count(*) FROM jobs WHERE endpoint = 'strict'"))
                .isZero();
    }

    @Test
    void jobsForAQueueThatWasDeletedAreRefusedUntilItIsThereAgain() {
        register("comes", "default");
        var _ = api.create("/queues", Map.of("name", "goes"));
        var _ = api.create(
                "/jobs",
                Map.of(
                        "endpoint",
                        "comes",
                        "trigger",
                        "INTERVAL",
                        "every",
                        "PT1H",
                        "queue",
                        "goes",
                        "idempotency_key",
                        "i"));
        expectError(409, "CONFLICT", api.delete("/queues/goes"));
        var job = api.read("/jobs?queue=goes").getString("items[0].job_id");
        assertThat(api.patch("/jobs/" + job, Map.of("every", "PT2H")).<String>path("queue"))
                .isEqualTo("goes");
        var next = api.read("/jobs?queue=goes").getString("items[0].job_id");
        assertThat(api.request()
                        .body("{\"queue\": null}")
                        .patch("/jobs/" + next)
                        .<String>path("queue"))
                .isEqualTo("default");
        assertThat(api.delete("/queues/goes").statusCode()).isEqualTo(204);

        var body = Map.of("endpoint", "comes", "trigger", "IMMEDIATE", "idempotency_key", "3", "queue", "goes");
        expectError(422, "INVALID_QUEUE_REF", api.post("/jobs", body));
        assertThat(api.put("/queues/goes", Map.of()).statusCode()).isEqualTo(201);
        assertThat(api.post("/jobs", body).statusCode()).isEqualTo(201);
    }

    @Test
    void writesAreInTheAuditLog() {
        assertThat(api.put("/queues/audited", Map.of()).statusCode()).isEqualTo(201);
        var _ = api.post("/queues/audited/pause", Map.of());
        var _ = api.post("/queues/audited/resume", Map.of());
        var _ = api.delete("/queues/audited");

        assertThat(db.texts("SELECT action FROM audit_log WHERE resource_kind = 'queue' AND resource = 'audited'"
                        + " ORDER BY at"))
                .containsExactly("update", "pause", "resume", "delete");
    }

    private static void register(String name, String queue) {
        if (api.get("/endpoints/" + name).statusCode() == 404) {
            var endpoint = new HashMap<>(Api.posting(name, receiver.uri("/"), NO_RETRY));
            endpoint.put("queue", queue);
            var _ = api.create("/endpoints", endpoint);
        }
    }

    private static Map<String, Object> job(String queue) {
        register("late", "default");
        return Map.of(
                "endpoint", "late", "trigger", "DELAYED", "delay", "P9D", "idempotency_key", queue, "queue", queue);
    }
}
