package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.restassured.path.json.JsonPath;
import io.taskexec.embedded.UnsteadyServer;
import io.taskexec.store.dependency.ReferenceGraph;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Program;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Random workflows end as a reference interpreter says, while processes are killed and the database crashes. */
@NeedsOwnServer("It crashes its server.")
class WorkflowKillIT {
    private static final int RUNS = Integer.getInteger("taskexec.workflows", 10);
    private static final Duration BOUND = Duration.ofMinutes(3).plusSeconds(RUNS / 10);

    private final Map<String, Run> runs = new HashMap<>();

    /** A run, the id of which is known once it was created. */
    private record Run(String id, int number, ReferenceGraph graph) {
        boolean mayBeCancelled() {
            return number % 5 == 4;
        }
    }

    @Test
    void randomWorkflowsEndAsTheReferenceSaysWhileProcessesDie() throws InterruptedException {
        var first = new Random().nextLong(1_000_000);
        try (var server = UnsteadyServer.start("workflow-database");
                var receiver = new Receiver()) {
            var database = ServerDb.at(server.url());
            database.empty();
            var setup = Program.serving(database)
                    .with("TE_WORKER_SILENCE_SEC", "11")
                    .with("TE_RECLAIM_INTERVAL_SEC", "1");
            try (var steady = setup.startReady();
                    var doomed = setup.startReady();
                    var next = setup.startReady()) {
                receiver.answer(WorkflowKillIT::answer);
                register(steady.api(), receiver);
                for (var i = 0; i < RUNS; i++) {
                    create(steady.api(), i, new ReferenceGraph(first + i));
                }
                var expected = runs.values().stream()
                        .flatMap(run -> run.graph().ends(Set.of()).values().stream())
                        .filter(end -> !end.equals("SKIPPED"))
                        .count();
                var _ = receiver.awaitCount((int) expected / 5, BOUND);
                doomed.kill();
                cancelSome(steady.api());
                try (var late = setup.startReady()) {
                    var _ = receiver.awaitCount((int) expected * 2 / 5, BOUND);
                    next.kill();
                    server.crash();
                    server.startAgain();
                    awaitEnds(late.api(), "seed " + first);
                    check(late.api(), database, receiver.requests(), "seed " + first);
                    Check.findsNothing(setup);
                }
            }
        }
    }

    private static void register(Api api, Receiver receiver) {
        var endpoint = JsonNodeFactory.instance.objectNode().put("name", "node").put("type", "HTTP");
        endpoint.putObject("retry_policy").put("max_attempts", 2).put("initial_delay_ms", 50);
        endpoint.putObject("spec").put("method", "POST").put("url", receiver.uri("/") + "{{input.of}}");
        var _ = api.create("/endpoints", endpoint.toString());
    }

    private void create(Api api, int number, ReferenceGraph graph) {
        var jobs = JsonNodeFactory.instance.objectNode();
        graph.nodes.forEach(node -> {
            ObjectNode job = jobs.putObject("n" + node.number()).put("endpoint", "node");
            // The receiver knows by its path how each job is to end.
            job.putObject("input").put("of", (node.succeeds() ? "good-" : "bad-") + number + "-" + node.number());
            if (!node.parents().isEmpty()) {
                job.put("trigger_rule", node.rule().word());
                node.parents().forEach(parent -> job.withArray("depends_on").add("n" + parent));
            }
        });
        var body = JsonNodeFactory.instance.objectNode().put("idempotency_key", "run-" + number);
        body.set("jobs", jobs);
        var id = api.create("/workflows", body.toString()).getString("workflow_id");
        runs.put(id, new Run(id, number, graph));
    }

    /** Some jobs succeed with their second attempt. */
    private static Answer answer(Received request) {
        if (!request.path().startsWith("/good-")) {
            return Answer.of(400, "{}");
        }
        var isFlaky = request.path().endsWith("7") && "1".equals(request.header("Taskexec-Attempt"));
        return Answer.of(isFlaky ? 503 : 200, "{}");
    }

    /** Some of these may have ended. */
    private void cancelSome(Api api) {
        runs.values().stream()
                .filter(Run::mayBeCancelled)
                .forEach(run -> assertThat(api.post("/workflows/" + run.id() + "/cancel", "")
                                .statusCode())
                        .isIn(200, 409));
    }

    private void awaitEnds(Api api, String seed) throws InterruptedException {
        Eventually.await("all runs have ended, " + seed, BOUND, () -> {
            var answers = List.of("PENDING", "RUNNING", "CANCELLING").stream()
                    .map(status -> api.get("/workflows?limit=1&status=" + status))
                    .toList();
            return answers.stream()
                    .allMatch(answer -> answer.statusCode() == 200
                            && answer.jsonPath().getList("items").isEmpty());
        });
    }

    private void check(Api api, ServerDb database, List<Received> requests, String seed) {
        assertThat(requests.stream()
                        .map(request -> request.header("Idempotency-Key") + " " + request.header("Taskexec-Attempt"))
                        .toList())
                .as(seed)
                .doesNotHaveDuplicates();
        assertThat(database.number(
                        "SELECT count(*) FROM attempts WHERE status NOT IN ('LOST', 'INTERRUPTED', 'FAILED')"))
                .as("attempts beside the last ones, " + seed)
                .isZero();
        var arrivals = requests.stream()
                .collect(Collectors.groupingBy(
                        request -> request.path().replaceFirst("/[a-z]+-", ""),
                        Collectors.mapping(Received::arrivedAt, Collectors.toList())));
        for (var run : runs.values()) {
            var found = api.read("/workflows/" + run.id());
            if (found.getString("status").equals("CANCELLED")) {
                assertThat(run.mayBeCancelled()).isTrue();
                continue;
            }
            check(run, found, arrivals, seed);
        }
    }

    private static void check(Run run, JsonPath found, Map<String, List<Instant>> arrivals, String seed) {
        var ends = run.graph().ends(Set.of());
        var place = seed + ", run " + run.number();
        var ended = new HashMap<Integer, Instant>();
        for (var node : run.graph().nodes) {
            var job = "jobs.n" + node.number();
            assertThat(found.getString(job + ".status"))
                    .as(place + ", job " + node.number())
                    .isEqualTo(ends.get(node.number()));
            ended.put(node.number(), Instant.parse(found.getString(job + ".completed_at")));
        }
        var isFailed = ends.containsValue("FAILED");
        assertThat(found.getString("status")).as(place).isEqualTo(isFailed ? "FAILED" : "SUCCESS");
        for (var node : run.graph().nodes) {
            for (var arrival : arrivals.getOrDefault(run.number() + "-" + node.number(), List.of())) {
                assertThat(run.graph().mayBegin(node.number(), endedBy(ended, arrival)))
                        .as(place + ", job " + node.number() + " has not begun too early")
                        .isTrue();
            }
        }
    }

    private static Set<Integer> endedBy(Map<Integer, Instant> ended, Instant time) {
        var before = new HashSet<Integer>();
        ended.forEach((number, end) -> {
            if (!end.isAfter(time)) {
                before.add(number);
            }
        });
        return before;
    }
}
