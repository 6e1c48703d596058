package io.taskexec.e2e;

import static io.taskexec.e2e.ErrorAnswer.expectError;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.EventClient;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workflows: graphs of jobs that are created together. */
@ServerTest(env = "TE_EVENTS_ENABLED=true")
class WorkflowsIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    /** The run of hundreds of jobs takes most of a shorter one on a machine with other work. */
    private static final Duration BOUND_OF_MANY = Duration.ofMinutes(2);

    private static final Set<String> OPEN = Set.of("PENDING", "QUEUED", "RUNNING", "CANCELLING", "WAITING");
    private static final AtomicInteger KEYS = new AtomicInteger();

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @BeforeAll
    static void register() {
        register("good", "{{input.of}}");
        register("bad", "{{input.of}}");
        register("told", "{{input.status}}");
    }

    private static void register(String name, String of) {
        var _ = api.create("/endpoints", json("""
                {'name': '%s', 'type': 'HTTP',
                  'spec': {'url': '%s', 'method': 'POST', 'body_template': {'job': '{{job.id}}', 'of': '%s'}}}
                """.formatted(name, receiver.uri("/" + name), of)));
    }

    @BeforeEach
    void answer() {
        receiver.clear();
        receiver.answer(WorkflowsIT::answer);
    }

    private static Answer answer(Received request) {
        return request.path().equals("/bad")
                ? Answer.of(404, "{}")
                : Answer.of(200, json("{'last': '%s', 'size': 3}".formatted(of(request))));
    }

    private static String of(Received request) {
        return String.valueOf(request.bytes().toJsonObject().getValue("of"));
    }

    /** JSON that is written with single quotes. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }

    /** Runs a workflow that is described in single quotes, under a new key. */
    private static String run(String workflow) {
        return api.create("/workflows", keyed(workflow)).getString("workflow_id");
    }

    private static String keyed(String workflow) {
        return json(workflow).replaceFirst("\\{", "{\"idempotency_key\": \"key-" + KEYS.incrementAndGet() + "\", ");
    }

    private static JsonPath read(String id) {
        return api.read("/workflows/" + id);
    }

    private static JsonPath ended(String id) throws InterruptedException {
        return Eventually.await(
                "the run " + id + " has ended", BOUND, () -> read(id), run -> !OPEN.contains(run.getString("status")));
    }

    /** The statuses of the jobs by their names, as a text. */
    private static String statuses(JsonPath run) {
        return run.<Map<String, Map<String, Object>>>get("jobs").entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue().get("status"))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    @Test
    void anUploadIsFollowedByItsVariantsAndAnActionThatKnowsTheirAnswers() throws Exception {
        var id = run("""
                {'name': 'post', 'input': {'file': 'v.mp4'}, 'on_success': 'told', 'jobs': {
                  'upload': {'endpoint': 'good', 'input': {'of': '{{workflow.input.file}}'}},
                  'sd': {'endpoint': 'good', 'input': {'of': '{{parents.upload.output.json.last}}-sd'},
                    'depends_on': ['upload']},
                  'md': {'endpoint': 'good', 'input': {'of': 'md'}, 'depends_on': ['upload']},
                  'hd': {'endpoint': 'good', 'input': {'of': 'hd'}, 'depends_on': ['upload']},
                  'xd': {'endpoint': 'good', 'input': {'of': 'xd'}, 'depends_on': ['upload'],
                    'when': {'pointer': '/parents/upload/output/json/size', 'equals': 4}},
                  'post': {'endpoint': 'good', 'depends_on': ['sd', 'md', 'hd', 'xd'], 'trigger_rule': 'none_failed',
                    'input': {'of': '{{workflow.context.size}} {{parents.xd.status}} {{workflow.input.file}}'}}}}
                """);
        var run = ended(id);

        assertThat(run.getString("status")).as(run.prettify()).isEqualTo("SUCCESS");
        assertThat(statuses(run))
                .isEqualTo("hd SUCCESS, md SUCCESS, post SUCCESS, sd SUCCESS, upload SUCCESS, xd SKIPPED");
        assertThat(run.<Map<String, Object>>get("output.context")).containsEntry("size", 3);
        assertThat(run.<String>getList("critical_path"))
                .startsWith("upload")
                .endsWith("post")
                .hasSize(3);
        assertThat(run.getString("name")).isEqualTo("post");
        var requests = receiver.awaitCount(6, BOUND);
        assertThat(requests.getFirst().path()).isEqualTo("/good");
        assertThat(requests).extracting(WorkflowsIT::of).contains("v.mp4", "v.mp4-sd", "3 SKIPPED v.mp4", "SUCCESS");
        assertThat(api.read("/workflows?name=post").getString("items[0].status"))
                .isEqualTo("SUCCESS");
        assertThat(api.read("/executions/" + run.getString("execution_id")).getInt("attempt_count"))
                .isEqualTo(1);
        assertThat(api.read("/jobs/" + run.getString("jobs.sd.job_id")).getString("endpoint"))
                .isEqualTo("good");
    }

    @Test
    void aRunThatHasFailedIsRetriedFromItsFailedJobs() throws Exception {
        var id = run("""
                {'jobs': {'first': {'endpoint': 'good', 'input': {'of': 1}},
                  'broken': {'endpoint': 'bad', 'input': {'of': 2}, 'depends_on': ['first']},
                  'beside': {'endpoint': 'good', 'input': {'of': 3}, 'depends_on': ['first']},
                  'after': {'endpoint': 'good', 'input': {'of': '{{parents.first.output.json.last}}'},
                    'depends_on': ['broken', 'first']}}}
                """);
        var failed = ended(id);
        assertThat(failed.getString("status")).isEqualTo("FAILED");
        assertThat(failed.getString("error.message")).isEqualTo("1 of 4 jobs failed: broken.");
        assertThat(statuses(failed)).isEqualTo("after SKIPPED, beside SUCCESS, broken FAILED, first SUCCESS");
        assertThat(failed.getString("output.jobs.broken")).isEqualTo("FAILED");
        assertThat(failed.getString("output.context.last")).isEqualTo("3");

        receiver.clear();
        receiver.answer(Answer.of(200, json("{'last': 1}")));
        var retried = ended(api.create("/workflows/" + id + "/retry", "{}").getString("workflow_id"));
        assertThat(retried.getString("status")).isEqualTo("SUCCESS");
        assertThat(retried.getString("retry_of")).isEqualTo(id);
        assertThat(retried.getString("jobs.first.job_id")).isEqualTo(failed.getString("jobs.first.job_id"));
        assertThat(retried.getString("jobs.broken.job_id")).isNotEqualTo(failed.getString("jobs.broken.job_id"));
        assertThat(receiver.requests()).extracting(WorkflowsIT::of).containsExactly("2", "1");
        var again = "/workflows/" + retried.getString("workflow_id") + "/retry";
        expectError(409, "WORKFLOW_NOT_RETRYABLE", api.post(again, "{}"));

        receiver.clear();
        var replayed = ended(api.create("/workflows/" + id + "/replay", "{}").getString("workflow_id"));
        assertThat(replayed.getString("status")).isEqualTo("SUCCESS");
        assertThat(receiver.requests()).hasSize(4);
    }

    @Test
    void aFailureEndsAWorkflowThatFailsFastButForWhatAlwaysRuns() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(request -> of(request).equals("held") ? answer(request).after(gate) : answer(request));
        var id = run("""
                {'failure_policy': 'fail_fast', 'jobs': {
                  'held': {'endpoint': 'good', 'input': {'of': 'held'}},
                  'next': {'endpoint': 'good', 'input': {'of': 'next'}, 'depends_on': ['held']},
                  'clean': {'endpoint': 'good', 'input': {'of': 'clean'}, 'depends_on': ['next'],
                    'trigger_rule': 'always'},
                  'broken': {'endpoint': 'bad', 'input': {'of': 'broken'}}}}
                """);
        Eventually.await(
                "what waits is cancelled",
                BOUND,
                () -> statuses(read(id)).equals("broken FAILED, clean SUCCESS, held RUNNING, next CANCELLED"));
        assertThat(read(id).getString("status")).isEqualTo("RUNNING");

        gate.complete(null);
        assertThat(ended(id).getString("status")).isEqualTo("FAILED");
    }

    @Test
    void aRunIsCancelledAtOnceAndEndsWithTheJobsThatRun() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(request -> of(request).equals("held") ? answer(request).after(gate) : answer(request));
        var workflow = """
                {'jobs': {'held': {'endpoint': 'good', 'input': {'of': 'held'}},
                  'next': {'endpoint': 'good', 'input': {'of': 'next'}, 'depends_on': ['held']},
                  'clean': {'endpoint': 'good', 'input': {'of': 'clean'}, 'depends_on': ['next'],
                    'trigger_rule': 'always'}}}
                """;
        var id = run(workflow);
        var forced = run(workflow);
        var later = run("{'run_at': '2036-01-01T00:00:00Z', 'trigger': 'DELAYED',"
                + " 'jobs': {'a': {'endpoint': 'good', 'input': {'of': 'never'}}}}");
        var _ = receiver.awaitCount(2, BOUND);

        var cancelled = api.act("/workflows/" + id + "/cancel");
        assertThat(cancelled.getString("status")).isEqualTo("CANCELLING");
        assertThat(cancelled.getString("jobs.next.status")).isEqualTo("CANCELLED");
        assertThat(cancelled.getString("jobs.held.status")).isEqualTo("RUNNING");
        var _ = api.act("/workflows/" + forced + "/cancel?force=true");
        assertThat(statuses(ended(forced))).isEqualTo("clean CANCELLED, held CANCELLED, next CANCELLED");
        assertThat(read(forced).getString("status")).isEqualTo("CANCELLED");
        assertThat(api.act("/workflows/" + later + "/cancel").getString("status"))
                .isEqualTo("CANCELLED");
        assertThat(statuses(read(later))).isEqualTo("a CANCELLED");

        gate.complete(null);
        assertThat(statuses(ended(id))).isEqualTo("clean SUCCESS, held SUCCESS, next CANCELLED");
        assertThat(read(id).getString("status")).isEqualTo("CANCELLED");
        assertThat(api.read("/workflows?status=CANCELLED").<String>getList("items.workflow_id"))
                .contains(id, forced, later);
        expectError(409, "WORKFLOW_NOT_CANCELLABLE", api.post("/workflows/" + id + "/cancel", ""));
    }

    @Test
    void aRunWithinACancelledRunEndsWithItsJobsAndWhatHasSucceededIsNotRetried() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(request -> of(request).equals("held") ? answer(request).after(gate) : answer(request));
        define("/workflow-definitions/inner", """
                {'jobs': {'held': {'endpoint': 'good', 'input': {'of': 'held'}},
                  'next': {'endpoint': 'good', 'input': {'of': 'next'}, 'depends_on': ['held']}}}
                """);
        var outer = run("{'jobs': {'inner': {'endpoint': 'inner'}}}");
        var single = run("{'jobs': {'held': {'endpoint': 'good', 'input': {'of': 'held'}}}}");
        var _ = receiver.awaitCount(2, BOUND);
        var inner = read(outer).getString("jobs.inner.job_id").replace("job_", "wf_");

        for (var id : List.of(outer, single)) {
            assertThat(api.act("/workflows/" + id + "/cancel").getString("status"))
                    .isEqualTo("CANCELLING");
        }
        assertThat(read(inner).getString("status")).isEqualTo("CANCELLING");
        assertThat(statuses(read(inner))).isEqualTo("held RUNNING, next CANCELLED");
        // The same by its execution: it goes on until its job has ended.
        var _ = api.act("/executions/" + read(inner).getString("execution_id") + "/cancel");
        assertThat(statuses(read(inner))).isEqualTo("held RUNNING, next CANCELLED");

        gate.complete(null);
        assertThat(statuses(ended(outer))).isEqualTo("inner CANCELLED");
        assertThat(statuses(read(inner))).isEqualTo("held SUCCESS, next CANCELLED");
        assertThat(ended(single).getString("status")).isEqualTo("CANCELLED");
        expectError(409, "WORKFLOW_NOT_RETRYABLE", api.post("/workflows/" + single + "/retry", "{}"));
    }

    @Test
    void aDefinitionIsRunByNameByAScheduleAndWithinAnother() throws Exception {
        var definition = "/workflow-definitions/invoice";
        define(definition, "{'jobs': {'a': {'endpoint': 'good', 'input': {'of': '{{workflow.input.n}}'}}}}");
        var first = run("{'definition': 'invoice', 'input': {'n': 1}}");
        assertThat(ended(first).getInt("definition_version")).isEqualTo(1);
        define(definition, """
                {'jobs': {'a': {'endpoint': 'good', 'input': {'of': '{{workflow.input.n}}'}},
                  'b': {'endpoint': 'good', 'input': {'of': 'b'}, 'depends_on': ['a']}}}
                """);
        var replayed = ended(api.create("/workflows/" + first + "/replay", "{}").getString("workflow_id"));
        assertThat(replayed.getInt("definition_version")).isEqualTo(2);
        assertThat(statuses(replayed)).isEqualTo("a SUCCESS, b SUCCESS");
        assertThat(statuses(read(first))).isEqualTo("a SUCCESS");

        var outer = run("""
                {'jobs': {'before': {'endpoint': 'good', 'input': {'of': 8}},
                  'inner': {'endpoint': 'invoice', 'input': {'n': '{{parents.before.output.json.size}}'},
                    'depends_on': ['before']},
                  'after': {'endpoint': 'good', 'input': {'of': '{{parents.inner.status}}'}, 'depends_on': ['inner']}}}
                """);
        assertThat(statuses(ended(outer))).isEqualTo("after SUCCESS, before SUCCESS, inner SUCCESS");
        assertThat(receiver.requests()).extracting(WorkflowsIT::of).contains("8", "3", "b", "SUCCESS");

        var schedule = api.create(
                "/workflows",
                json("{'definition': 'invoice', 'trigger': 'INTERVAL', 'every': 'PT1S', 'max_fires': 2,"
                        + " 'overlap': 'SKIP', 'input': {'n': 5}}"));
        assertThat(schedule.getString("workflow_id")).isNull();
        Eventually.await(
                "two runs of the schedule have ended",
                BOUND,
                () -> api.read("/jobs/" + schedule.getString("job_id") + "/executions?status=SUCCESS")
                                .getList("items")
                                .size()
                        == 2);
        assertThat(api.read("/workflow-definitions/invoice").getInt("version")).isEqualTo(2);
        var other = json("{'jobs': {'a': {'endpoint': 'good'}}}");
        expectError(409, "CONFLICT", api.put("/workflow-definitions/told", other));
    }

    private static void define(String path, String definition) {
        assertThat(api.put(path, json(definition)).statusCode()).isIn(200, 201);
    }

    @Test
    void aScheduleDoesNotFireWhileARunOfItIsOpen() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(request -> answer(request).after(gate));
        var job = api.create(
                        "/workflows",
                        json("{'trigger': 'INTERVAL', 'every': 'PT1S', 'overlap': 'SKIP',"
                                + " 'jobs': {'a': {'endpoint': 'good', 'input': {'of': 1}}}}"))
                .getString("job_id");
        Eventually.await(
                "ticks are skipped",
                BOUND,
                () -> api.read("/jobs/" + job + "/ticks?outcome=SKIPPED_OVERLAP")
                                .getList("items")
                                .size()
                        >= 2);
        var _ = receiver.awaitCount(1, BOUND);
        assertThat(receiver.requests()).hasSize(1);
        var _ = api.act("/jobs/" + job + "/cancel");
        gate.complete(null);
    }

    @Test
    void fiveHundredJobsFanOutAndComeTogetherInOneGraph() throws Exception {
        var middle = IntStream.range(0, 500)
                .mapToObj("'m%1$d': {'endpoint': 'good', 'input': {'of': %1$d}, 'depends_on': ['root']}"::formatted)
                .collect(Collectors.joining(", "));
        var joins = IntStream.range(0, 5)
                .mapToObj(i -> "'j%d': {'endpoint': 'good', 'input': {'of': 'j'}, 'depends_on': [%s]}"
                        .formatted(
                                i,
                                IntStream.range(i * 100, i * 100 + 100)
                                        .mapToObj("'m%d'"::formatted)
                                        .collect(Collectors.joining(","))))
                .collect(Collectors.joining(", "));
        var id = run("""
                {'jobs': {'root': {'endpoint': 'good', 'input': {'of': 'root'}}, %s, %s,
                  'last': {'endpoint': 'good', 'input': {'of': 'last'},
                    'depends_on': ['j0', 'j1', 'j2', 'j3', 'j4']}}}
                """.formatted(middle, joins));

        // To look at a run of so many jobs again and again would take the processors from it.
        awaitRequests(507, id);
        assertThat(ended(id).getString("status")).isEqualTo("SUCCESS");
        assertThat(receiver.requests()).hasSize(507);
        assertThat(receiver.requests())
                .extracting(WorkflowsIT::of)
                .startsWith("root")
                .endsWith("last");
    }

    /** Waits for requests of a run; when they do not come, says how far it is. */
    private static void awaitRequests(int count, String id) throws InterruptedException {
        try {
            var _ = receiver.awaitCount(count, BOUND_OF_MANY);
        } catch (AssertionError e) {
            var run = read(id);
            throw new AssertionError(
                    "%s; the run is %s, its first job %s"
                            .formatted(e.getMessage(), run.getString("status"), run.get("jobs.root")),
                    e);
        }
    }

    @Test
    void theStartAndTheEndOfARunAreEvents() throws Exception {
        var query = "?type=io.taskexec.workflow.started&type=io.taskexec.workflow.ended";
        try (var client = EventClient.of(api, query, Map.of())) {
            var id = run("{'jobs': {'a': {'endpoint': 'bad', 'input': {'of': 1}}}}");
            // That of a run before may still come.
            var events = Eventually.await(
                    "the run has begun and ended",
                    BOUND,
                    () -> client.events().stream()
                            .filter(event -> id.equals(
                                    event.data().at("/data/workflow_id").asText()))
                            .toList(),
                    own -> own.size() >= 2);
            assertThat(events)
                    .extracting(EventClient.Event::type)
                    .containsExactly("io.taskexec.workflow.started", "io.taskexec.workflow.ended");
            assertThat(events)
                    .extracting(event -> event.data().at("/data/status").asText())
                    .containsExactly("RUNNING", "FAILED");
        }
    }

    @Test
    void noAttemptBeginsAfterTheDeadline() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(request -> answer(request).after(gate));
        var id = run("{'deadline': 'PT15S', 'jobs': {'a': {'endpoint': 'good', 'input': {'of': 1}},"
                + " 'b': {'endpoint': 'good', 'input': {'of': 2}, 'depends_on': ['a']}}}");
        Eventually.await(
                "the second job has expired",
                Duration.ofSeconds(90),
                () -> read(id).getString("jobs.b.status").equals("EXPIRED"));
        gate.complete(null);
        assertThat(ended(id).getString("status")).isEqualTo("FAILED");
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void noAttemptWithinAnInnerRunBeginsAfterTheDeadlineOfTheOuterOne() throws Exception {
        var gate = new CompletableFuture<Void>();
        receiver.answer(request -> answer(request).after(gate));
        define(
                "/workflow-definitions/long",
                "{'deadline': 'PT1H', 'jobs': {'a': {'endpoint': 'good', 'input':"
                        + " {'of': 1}}, 'b': {'endpoint': 'good', 'input': {'of': 2}, 'depends_on': ['a']}}}");
        var outer = run("{'deadline': 'PT15S', 'jobs': {'inner': {'endpoint': 'long'}}}");
        var _ = receiver.awaitCount(1, BOUND);
        var inner = read(outer).getString("jobs.inner.job_id").replace("job_", "wf_");

        Eventually.await(
                "the second job has expired",
                Duration.ofSeconds(90),
                () -> read(inner).getString("jobs.b.status").equals("EXPIRED"));
        gate.complete(null);
        assertThat(statuses(ended(outer))).isEqualTo("inner FAILED");
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void aJobWithoutParentsThatAlwaysRunsIsLeftByACancelAndAFailure() throws Exception {
        var jobs = "'clean': {'endpoint': 'good', 'input': {'of': 1}, 'delay': 'PT10S', 'trigger_rule': 'always'},"
                + " 'late': {'endpoint': 'good', 'input': {'of': 2}, 'delay': 'PT1H'}";
        var cancelled = run("{'jobs': {%s}}".formatted(jobs));
        Eventually.await(
                "it has started",
                BOUND,
                () -> read(cancelled).getString("status").equals("RUNNING"));

        var asked = api.act("/workflows/" + cancelled + "/cancel");

        assertThat(asked.getString("status")).as(asked.prettify()).isEqualTo("CANCELLING");
        var broken = "'broken': {'endpoint': 'bad', 'input': {'of': 3}}";
        var failing = run("{'failure_policy': 'fail_fast', 'jobs': {%s, %s}}".formatted(jobs, broken));
        assertThat(statuses(ended(cancelled))).isEqualTo("clean SUCCESS, late CANCELLED");
        assertThat(statuses(ended(failing))).isEqualTo("broken FAILED, clean SUCCESS, late CANCELLED");
    }

    @Test
    void theJobsOfARunThatCouldNotStartAreSkipped() throws Exception {
        register("gone", "{{input.of}}");
        var id = run("{'trigger': 'DELAYED', 'delay': 'PT1H', 'jobs': {'a': {'endpoint': 'gone'}}}");
        assertThat(statuses(read(id))).isEqualTo("a WAITING");
        assertThat(api.delete("/endpoints/gone").statusCode()).isEqualTo(204);
        var _ = api.act("/jobs/" + id.replace("wf_", "job_") + "/trigger");

        var failed = ended(id);
        assertThat(failed.getString("error.type")).isEqualTo("INVALID_CONFIGURATION");
        assertThat(statuses(failed)).isEqualTo("a SKIPPED");
    }

    @Test
    void aContextOfMoreThanAMegabyteFailsTheJobThatNeedsIt() throws Exception {
        receiver.answer(request -> Answer.of(200, json("{'%s': '%s'}".formatted(of(request), "x".repeat(60_000)))));
        var parts = IntStream.range(0, 20)
                .mapToObj("'p%1$d': {'endpoint': 'good', 'input': {'of': 'p%1$d'}}"::formatted)
                .collect(Collectors.joining(", "));
        var all = IntStream.range(0, 20).mapToObj("'p%d'"::formatted).collect(Collectors.joining(", "));
        var run = ended(run("""
                {'jobs': {%s, 'sum': {'endpoint': 'good', 'input': {'of': '{{workflow.context.p1}}'},
                  'depends_on': [%s]}}}
                """.formatted(parts, all)));

        assertThat(run.getString("jobs.sum.error.type")).isEqualTo("CONTEXT_TOO_LARGE");
        assertThat(run.getString("status")).isEqualTo("FAILED");
    }
}
