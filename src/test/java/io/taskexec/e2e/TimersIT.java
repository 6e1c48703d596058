package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are found, changed, cancelled and replaced by the keys that their clients gave them. */
@ServerTest
class TimersIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final String PATH = "/endpoints/timers/keys/";

    @Inject
    private static Api api;

    @Inject
    private static ServerDb db;

    @Inject
    private static Receiver receiver;

    @BeforeAll
    static void register() {
        api.endpoint("timers", receiver.uri("/timers"), Map.of());
    }

    @BeforeEach
    void clear() {
        receiver.clear();
    }

    private static String later(String key, int n) {
        return """
                {"endpoint": "timers", "trigger": "DELAYED", "delay": "PT1H", "idempotency_key": "%s",
                 "input": {"n": %d}}
                """.formatted(key, n);
    }

    private static String replacing(String key, int n, String delay) {
        return """
                {"endpoint": "timers", "trigger": "DELAYED", "delay": "%s", "idempotency_key": "%s",
                 "on_conflict": "replace", "input": {"n": %d}}
                """.formatted(delay, key, n);
    }

    private static Response byKey(String key) {
        return api.request().get(PATH + "{key}", key);
    }

    private static Response conditional(String tag, String body) {
        return api.request()
                .contentType("application/merge-patch+json")
                .header("If-Match", tag)
                .body(body)
                .patch(PATH + "first");
    }

    @Test
    void aTimerIsFoundChangedAndCancelledByItsKey() {
        var key = "order 7/ä%?#";
        var id = api.create("/jobs", later(key, 1)).getString("job_id");

        var found = byKey(key);
        assertThat(found.jsonPath().getString("job_id")).isEqualTo(id);

        var changed = api.request()
                .contentType("application/merge-patch+json")
                .body("{\"delay\": \"PT2H\", \"input\": {\"n\": 2}}")
                .patch(PATH + "{key}", key);
        assertThat(changed.statusCode()).as(changed.asString()).isEqualTo(200);
        assertThat(changed.jsonPath().getInt("version")).isEqualTo(2);
        assertThat(Instant.parse(changed.jsonPath().getString("run_at")))
                .isAfter(Instant.now().plus(Duration.ofMinutes(110)));

        var cancelled = api.request().delete(PATH + "{key}", key);
        assertThat(cancelled.statusCode()).as(cancelled.asString()).isEqualTo(200);
        assertThat(cancelled.jsonPath().getString("execution.status")).isEqualTo("CANCELLED");

        assertThat(byKey(key).jsonPath().getString("error.code")).isEqualTo("JOB_NOT_FOUND");
        assertThat(byKey(key).jsonPath().getString("error.message"))
                .isEqualTo("No job of the endpoint 'timers' has the key 'order 7/ä%?#'.");
        assertThat(api.request().delete(PATH + "{key}", key).statusCode()).isEqualTo(404);
        assertThat(api.create("/jobs", later(key, 3)).getString("job_id")).isNotEqualTo(id);
    }

    @Test
    void aPatchIsMadeOnceForEachTag() {
        var _ = api.create("/jobs", later("first", 1));
        var tag = byKey("first").header("ETag");

        assertThat(conditional(tag, "{\"priority\": 1}").statusCode()).isEqualTo(200);
        var late = conditional(tag, "{\"priority\": 2}");

        assertThat(late.statusCode()).isEqualTo(412);
        assertThat(late.jsonPath().getString("error.code")).isEqualTo("PRECONDITION_FAILED");
        assertThat(byKey("first").jsonPath().getInt("priority")).isEqualTo(1);
        assertThat(conditional(byKey("first").header("ETag"), "{\"priority\": 2}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aJobThatHasEndedIsRefusedWithItsState() throws InterruptedException {
        var id = api.immediate("timers", "done");
        var _ = api.ended(id);

        var refused = api.patch(PATH + "done", "{\"priority\": 1}");

        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.jsonPath().getString("error.code")).isEqualTo("JOB_NOT_UPDATABLE");
        assertThat(refused.jsonPath().getString("error.message"))
                .isEqualTo("The job has ended: its execution is SUCCESS.");
        assertThat(api.delete(PATH + "done").jsonPath().getString("error.code")).isEqualTo("EXECUTION_NOT_CANCELLABLE");
    }

    @Test
    void aJobThatNeverBeganIsRefusedAsEnded() {
        var cancelled = api.create("/jobs", later("cancelled", 1)).getString("job_id");
        var _ = api.act("/jobs/" + cancelled + "/cancel");
        var replaced = api.create("/jobs", replacing("superseded", 1, "PT1H")).getString("job_id");
        var _ = api.create("/jobs", replacing("superseded", 2, "PT1H"));

        assertThat(api.patch("/jobs/" + cancelled, "{\"priority\": 1}").<String>path("error.message"))
                .isEqualTo("The job has ended: its execution is CANCELLED.");
        assertThat(api.post("/jobs/" + replaced + "/trigger", "").<String>path("error.message"))
                .isEqualTo("The job has ended: its execution is SUPERSEDED.");
    }

    @Test
    void theRunOfAWorkflowWithoutADefinitionIsChangedUntilItBegins() throws InterruptedException {
        var run = api.create("/workflows", """
                {"name": "inline", "delay": "PT1H", "idempotency_key": "inline", "input": {"n": 1},
                 "jobs": {"only": {"endpoint": "timers", "input": {"n": "{{workflow.input.n}}"}}}}
                """).getString("job_id");

        var changed = api.patch("/jobs/" + run, "{\"input\": {\"n\": 2}, \"expires_at\": \"2099-01-01T00:00:00Z\"}");

        assertThat(changed.statusCode()).as(changed.asString()).isEqualTo(200);
        assertThat(changed.<String>path("expires_at")).isEqualTo("2099-01-01T00:00:00Z");
        refusesWhatOnlyCallsHave(run);
        assertThat(api.patch("/jobs/" + run, "{\"run_at\": null}").statusCode()).isEqualTo(200);
        assertThat(receiver.awaitCount(1, BOUND).getFirst().body()).isEqualTo("{\"n\":2}");
    }

    @Test
    void aScheduleOfRunsKeepsItsGraphWhenItIsChanged() throws InterruptedException {
        var schedule = api.create("/workflows", """
                {"name": "inline", "every": "P9D", "input": {"n": 1},
                 "jobs": {"only": {"endpoint": "timers", "input": {"n": "{{workflow.input.n}}"}}}}
                """).getString("job_id");
        var patched = api.patch("/jobs/" + schedule, "{\"input\": {\"n\": 3}}").<String>path("job_id");
        refusesWhatOnlyCallsHave(patched);

        var replaced = api.update("/jobs/" + patched, "{\"every\": \"P8D\", \"input\": {\"n\": 4}}");

        var _ = api.post("/jobs/" + replaced.getString("job_id") + "/trigger", "");
        assertThat(receiver.awaitCount(1, BOUND).getFirst().body()).isEqualTo("{\"n\":4}");
        var _ = api.act("/jobs/" + replaced.getString("job_id") + "/cancel");
    }

    private static void refusesWhatOnlyCallsHave(String run) {
        for (var patch : List.of("{\"timeout_ms\": 5}", "{\"target\": {\"url\": \"http://127.0.0.1:1/\"}}")) {
            var refused = api.patch("/jobs/" + run, patch);
            assertThat(refused.statusCode()).as(refused.asString()).isEqualTo(400);
        }
    }

    @Test
    void aTimerRunsNowWithItsLatestInput() throws InterruptedException {
        var job = api.create("/jobs", later("now", 1));
        var id = job.getString("job_id");
        assertThat(api.patch("/jobs/" + id, "{\"input\": {\"n\": 2}}").statusCode())
                .isEqualTo(200);

        var triggered = api.post("/jobs/" + id + "/trigger", "");

        assertThat(triggered.statusCode()).as(triggered.asString()).isEqualTo(200);
        assertThat(triggered.jsonPath().getString("execution_id")).isEqualTo(job.getString("execution.execution_id"));
        var delivered = receiver.awaitCount(1, BOUND).getFirst();
        assertThat(delivered.body()).isEqualTo("{\"n\":2}");
        var _ = api.ended(triggered.jsonPath().getString("execution_id"));
        assertThat(api.post("/jobs/" + id + "/trigger", "").jsonPath().getString("error.code"))
                .isEqualTo("JOB_NOT_UPDATABLE");
    }

    @Test
    void theLastOfManyReplacementsRuns() throws InterruptedException {
        var first = api.create("/jobs", replacing("typing", 1, "PT1H"));
        var second = api.create("/jobs", replacing("typing", 2, "PT0.1S"));

        assertThat(second.getString("superseded_job_id")).isEqualTo(first.getString("job_id"));
        assertThat(receiver.awaitCount(1, BOUND)).extracting(Received::body).containsExactly("{\"n\":2}");
        var superseded = api.read("/jobs/" + first.getString("job_id"));
        assertThat(superseded.getString("execution.status")).isEqualTo("SUPERSEDED");
        assertThat(superseded.getString("replaced_by_id")).isEqualTo(second.getString("job_id"));
        assertThat(api.read("/executions?status=SUPERSEDED").getList("items.job_id"))
                .contains(first.getString("job_id"));
    }

    @Test
    void aBatchReplacesInItsOrder() throws InterruptedException {
        var jobs = "{\"jobs\": [%s, %s, %s]}"
                .formatted(replacing("many", 1, "PT1H"), replacing("many", 2, "PT1H"), replacing("many", 3, "PT0.1S"));

        var statuses = api.post("/jobs/batch", jobs).jsonPath().<Integer>getList("items.status");

        assertThat(statuses).containsExactly(201, 201, 201);
        assertThat(receiver.awaitCount(1, BOUND)).extracting(Received::body).containsExactly("{\"n\":3}");
    }

    @Test
    void aScheduleIsFoundAndEndedByItsKey() {
        var schedule = """
                {"endpoint": "timers", "trigger": "CRON", "cron": "0 9 * * MON", "timezone": "UTC",
                 "idempotency_key": "weekly"}
                """;
        var _ = api.create("/jobs", schedule);

        var changed = api.patch(PATH + "weekly", "{\"cron\": \"0 10 * * MON\"}");
        assertThat(changed.jsonPath().getInt("version")).isEqualTo(2);
        assertThat(byKey("weekly").jsonPath().getInt("version")).isEqualTo(2);

        assertThat(api.delete(PATH + "weekly").jsonPath().getString("status")).isEqualTo("RETIRED");
        assertThat(byKey("weekly").statusCode()).isEqualTo(404);
    }

    @Test
    void aKeyLivesAsLongAsItsJobHasNotEnded() {
        var id = api.create("/jobs", later("old", 1)).getString("job_id");
        db.execute("UPDATE idempotency_keys SET created_at = now() - interval '40 days' WHERE idempotency_key = 'old'");

        assertThat(byKey("old").jsonPath().getString("job_id")).isEqualTo(id);
        assertThat(api.post("/jobs", later("old", 1)).jsonPath().getString("job_id"))
                .isEqualTo(id);

        var _ = api.act("/jobs/" + id + "/cancel");
        assertThat(byKey("old").statusCode()).isEqualTo(404);
        assertThat(api.create("/jobs", later("old", 1)).getString("job_id")).isNotEqualTo(id);
    }

    @Test
    void changesAreInTheAuditLog() {
        var _ = api.create("/jobs", later("audited", 1));

        assertThat(api.patch(PATH + "audited", "{\"priority\": 1}").statusCode())
                .isEqualTo(200);
        assertThat(api.delete(PATH + "audited").statusCode()).isEqualTo(200);

        var entries = api.read("/audit?kind=job_key&limit=2");
        assertThat(entries.getList("items.action")).containsExactly("cancel", "patch");
        assertThat(entries.getList("items.resource")).containsOnly("timers/audited");
    }
}
