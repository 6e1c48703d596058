package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that wait for other jobs. */
@ServerTest(env = "TE_EVENTS_ENABLED=true")
class DependenciesIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int WIDTH = 500;

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        for (var name : List.of("good", "bad")) {
            var _ = api.create("/endpoints", Api.posting(name, receiver.uri("/" + name), Map.of("max_attempts", 1)));
        }
    }

    @BeforeEach
    void answer() {
        receiver.clear();
        receiver.answer(request -> Answer.of(request.path().equals("/bad") ? 400 : 200, "{}"));
    }

    private static Map<String, Object> job(String endpoint, String key, Map<String, ?> more) {
        var job = new HashMap<String, Object>(Api.immediateJob(endpoint, key));
        job.putAll(more);
        return job;
    }

    private static JsonPath create(String endpoint, String key, Map<String, ?> more) {
        return api.create("/jobs", job(endpoint, key, more));
    }

    private static String id(JsonPath job) {
        return job.getString("job_id");
    }

    private static String status(JsonPath job) throws InterruptedException {
        return api.ended(job.getString("execution.execution_id")).getString("status");
    }

    /** The jobs whose executions have a status. */
    private static List<String> found(String status) {
        return api.read("/executions?limit=100&endpoint=good&status=" + status).getList("items.job_id");
    }

    @Test
    void aChildRunsAfterItsParentsAndIsSkippedWhenOneFails() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(
                request -> request.path().equals("/good") ? Answer.of(200, "{}").after(gate) : Answer.of(400, "{}"));
        var parent = create("good", "held", Map.of());
        var child = create("good", "waits", Map.of("depends_on", List.of(id(parent))));
        var grandchild = create(
                "good",
                "waits-longer",
                Map.of(
                        "depends_on",
                        Map.of("middle", id(child)),
                        "trigger_rule",
                        "all_done",
                        "delay",
                        "PT0.05S",
                        "trigger",
                        "DELAYED"));
        assertThat(child.getString("execution.status")).isEqualTo("WAITING");
        assertThat(child.getString("trigger_rule")).isEqualTo("all_success");
        assertThat(child.getList("depends_on")).isEqualTo(List.of(Map.of("job_id", id(parent), "name", id(parent))));
        assertThat(api.read("/jobs/" + id(grandchild)).getList("depends_on"))
                .isEqualTo(List.of(Map.of("job_id", id(child), "name", "middle")));
        assertThat(found("WAITING")).contains(id(child), id(grandchild));
        assertThat(receiver.awaitCount(1, BOUND)).hasSize(1);

        gate.complete(null);
        assertThat(status(grandchild)).isEqualTo("SUCCESS");
        assertThat(receiver.requests())
                .extracting(request -> request.header("Taskexec-Job-Id"))
                .containsExactly(id(parent), id(child), id(grandchild));

        var failing = create("bad", "fails", Map.of());
        var skipped = create("good", "skipped", Map.of("depends_on", List.of(id(failing))));
        var cleans = create("good", "cleans", Map.of("depends_on", List.of(id(skipped)), "trigger_rule", "all_done"));
        assertThat(status(skipped)).isEqualTo("SKIPPED");
        assertThat(status(cleans)).isEqualTo("SUCCESS");
        assertThat(found("SKIPPED")).contains(id(skipped));
    }

    @Test
    void theSameRequestIsAnsweredWithTheSameJobAndAnotherOneIsRefused() throws Exception {
        var parent = create("good", "once-parent", Map.of());
        var other = create("good", "once-other", Map.of());
        var request = job("good", "once", Map.of("depends_on", List.of(id(parent))));
        var first = api.create("/jobs", request);

        var again = api.post("/jobs", request);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(id(again.jsonPath())).isEqualTo(id(first));
        expectError(
                422,
                "IDEMPOTENCY_KEY_REUSED",
                api.post("/jobs", job("good", "once", Map.of("depends_on", List.of(id(other))))));
        expectError(422, "IDEMPOTENCY_KEY_REUSED", api.post("/jobs", job("good", "once", Map.of())));
        assertThat(status(first)).isEqualTo("SUCCESS");
    }

    @Test
    void badDependenciesAreRefusedAndStoreNothing() throws Exception {
        var parent = id(create("good", "bad-parent", Map.of()));
        var schedule = id(api.create(
                "/jobs",
                Map.of(
                        "endpoint",
                        "good",
                        "trigger",
                        "INTERVAL",
                        "every",
                        "PT1H",
                        "starts_at",
                        "2040-01-01T00:00:00Z")));
        var unknown = "job_" + "0".repeat(32);
        var many = Stream.generate(() -> parent).limit(101).toList();

        refused("DEPENDENCY_NOT_FOUND", Map.of("depends_on", List.of(unknown)));
        refused("DEPENDENCY_IS_SCHEDULE", Map.of("depends_on", List.of(parent, schedule)));
        refused("DUPLICATE_DEPENDENCY", Map.of("depends_on", List.of(parent, parent)));
        refused("DUPLICATE_DEPENDENCY", Map.of("depends_on", Map.of("a", parent, "b", parent)));
        refused("TOO_MANY_DEPENDENCIES", Map.of("depends_on", many));
        refused("TRIGGER_RULE_IMPOSSIBLE", Map.of("trigger_rule", "one_success"));
        refusedAsInvalid(Map.of("depends_on", "x"), "/depends_on");
        refusedAsInvalid(Map.of("depends_on", List.of("x")), "/depends_on/0");
        refusedAsInvalid(Map.of("depends_on", Map.of("a b", parent)), "/depends_on/a b");
        refusedAsInvalid(Map.of("depends_on", List.of(parent), "trigger_rule", "sometimes"), "/trigger_rule");
        expectError(
                400,
                "INVALID_REQUEST",
                api.post(
                        "/jobs",
                        Map.of(
                                "endpoint",
                                "good",
                                "trigger",
                                "INTERVAL",
                                "every",
                                "PT1H",
                                "depends_on",
                                List.of(parent))));
        assertThat(api.read("/jobs?endpoint=good&limit=100").<String>getList("items.idempotency_key"))
                .doesNotContain("refused");
    }

    private static void refused(String code, Map<String, ?> more) {
        expectError(422, code, api.post("/jobs", job("good", "refused", more)));
    }

    private static void refusedAsInvalid(Map<String, ?> more, String pointer) {
        var answer = expectError(400, "INVALID_REQUEST", api.post("/jobs", job("good", "refused", more)));
        assertThat(answer.jsonPath().getString("error.details[0].pointer")).isEqualTo(pointer);
    }

    @Test
    void jobsOfABatchDependOnEachOtherByReference() throws Exception {
        var answer = api.post(
                "/jobs/batch",
                Map.of(
                        "jobs",
                        List.of(
                                job("good", "b-last", Map.of("depends_on", List.of("left", "right"), "ref", "last")),
                                job("good", "b-left", Map.of("depends_on", Map.of("source", "root"), "ref", "left")),
                                job("good", "b-right", Map.of("depends_on", List.of("root"), "ref", "right")),
                                job("good", "b-root", Map.of("ref", "root")))));

        var items = answer.jsonPath();
        assertThat(items.<Integer>getList("items.status")).containsExactly(201, 201, 201, 201);
        assertThat(items.<Map<String, String>>getList("items[0].job.depends_on"))
                .containsExactlyInAnyOrder(
                        Map.of("name", "left", "job_id", items.getString("items[1].job.job_id")),
                        Map.of("name", "right", "job_id", items.getString("items[2].job.job_id")));
        var order = receiver.awaitCount(4, BOUND).stream()
                .map(request -> request.header("Taskexec-Job-Id"))
                .toList();
        assertThat(order.getFirst()).isEqualTo(items.getString("items[3].job.job_id"));
        assertThat(order.getLast()).isEqualTo(items.getString("items[0].job.job_id"));
    }

    @Test
    void inABatchARefusedParentTakesItsChildrenAlongAndNothingElse() {
        var items = api.post(
                        "/jobs/batch",
                        Map.of(
                                "jobs",
                                List.of(
                                        job("nowhere", "r-1", Map.of("ref", "gone")),
                                        job("good", "r-2", Map.of("ref", "child", "depends_on", List.of("gone"))),
                                        job("good", "r-3", Map.of("depends_on", List.of("child"))),
                                        job("good", "r-4", Map.of("ref", "a", "depends_on", List.of("b"))),
                                        job("good", "r-5", Map.of("ref", "b", "depends_on", List.of("c"))),
                                        job("good", "r-6", Map.of("ref", "c", "depends_on", List.of("a"))),
                                        job("good", "r-7", Map.of("depends_on", List.of("c"))),
                                        job("good", "r-8", Map.of("depends_on", List.of("nobody"))),
                                        job("good", "r-9", Map.of("ref", "a")),
                                        job("good", "r-10", Map.of("ref", "self", "depends_on", List.of("self"))),
                                        job("good", "r-11", Map.of("ref", "x y")),
                                        job("good", "r-12", Map.of("depends_on", List.of("z", "z"))),
                                        job("good", "r-13", Map.of("ref", "z")))))
                .jsonPath();

        assertThat(items.<String>getList("items.error.code"))
                .containsExactly(
                        "ENDPOINT_NOT_FOUND",
                        "DEPENDENCY_REFUSED",
                        "DEPENDENCY_REFUSED",
                        "WORKFLOW_CYCLE",
                        "WORKFLOW_CYCLE",
                        "WORKFLOW_CYCLE",
                        "DEPENDENCY_REFUSED",
                        "DEPENDENCY_NOT_FOUND",
                        "INVALID_REQUEST",
                        "WORKFLOW_CYCLE",
                        "INVALID_REQUEST",
                        "DUPLICATE_DEPENDENCY");
        assertThat(items.getString("items[3].error.message")).isEqualTo("The job depends on itself: a -> b -> c -> a.");
        assertThat(items.getString("items[3].error.details[0].pointer")).isEqualTo("/jobs/3/depends_on");
    }

    @Test
    void cancelledParentsLetTheirChildrenEndAndWaitingJobsCanBeCancelled() throws Exception {
        var parent = create("good", "later", Map.of("trigger", "DELAYED", "delay", "PT1H"));
        var child = create("good", "of-later", Map.of("depends_on", List.of(id(parent))));
        var grandchild = create("good", "of-of-later", Map.of("depends_on", List.of(id(child))));
        var _ = api.act("/jobs/" + id(child) + "/cancel");
        assertThat(status(child)).isEqualTo("CANCELLED");
        assertThat(status(grandchild)).isEqualTo("SKIPPED");

        var waiting = create("good", "bulk", Map.of("depends_on", List.of(id(parent))));
        var after =
                create("good", "after-bulk", Map.of("depends_on", List.of(id(waiting)), "trigger_rule", "all_failed"));
        var operation = api.create(
                "/executions/bulk",
                Map.of("action", "cancel", "filter", Map.of("status", "WAITING", "endpoint", "good"), "max", 1));
        Eventually.await(
                "the bulk operation has ended",
                BOUND,
                () -> !api.read("/operations/" + operation.getString("operation_id"))
                        .getString("status")
                        .equals("RUNNING"));
        assertThat(status(waiting)).isEqualTo("CANCELLED");
        assertThat(status(after)).isEqualTo("SUCCESS");
    }

    @Test
    void aWideFanOutComesTogetherAgain() throws Exception {
        var root = id(create("good", "wide-root", Map.of()));
        var middle = api.post(
                        "/jobs/batch",
                        Map.of(
                                "jobs",
                                IntStream.range(0, WIDTH)
                                        .mapToObj(i -> job("good", "wide-" + i, Map.of("depends_on", List.of(root))))
                                        .toList()))
                .jsonPath()
                .<String>getList("items.job.job_id");
        var joins = IntStream.range(0, WIDTH / 100)
                .mapToObj(i -> id(create(
                        "good", "wide-join-" + i, Map.of("depends_on", middle.subList(i * 100, i * 100 + 100)))))
                .toList();
        var last = create("good", "wide-last", Map.of("depends_on", joins));

        assertThat(status(last)).isEqualTo("SUCCESS");
        assertThat(receiver.requests()).hasSize(WIDTH + joins.size() + 2);
        assertThat(receiver.requests())
                .extracting(DependenciesIT::jobOf)
                .doesNotHaveDuplicates()
                .startsWith(root)
                .endsWith(id(last));
    }

    private static @Nullable String jobOf(Received request) {
        return request.header("Taskexec-Job-Id");
    }
}
