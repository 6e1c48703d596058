package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deferred executions and approvals on the command line. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class CliDeferralIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int REFUSED = 1;
    private static final int USAGE = 2;
    private static final AtomicInteger NAMES = new AtomicInteger();

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    private static CliBed cli;

    @BeforeAll
    static void setUp(@TempDir Path folder) throws IOException {
        cli = CliBed.in(folder, api);
    }

    @BeforeEach
    void defer() {
        receiver.answer(_ -> Answer.of(202, "{}").with("Taskexec-Defer", "callback; timeout=600"));
    }

    private static String start(String endpoint) {
        return api.immediate(endpoint, "key-" + NAMES.incrementAndGet());
    }

    /** An execution that waits for its receiver. */
    private static String deferred() throws InterruptedException {
        var name = "cli-deferred-" + NAMES.incrementAndGet();
        var _ = api.create("/endpoints", """
                {"name": "%s", "type": "HTTP", "completion": {"modes": ["callback"], "timeout": "PT1H"},
                  "retry_policy": {"max_attempts": 3, "backoff": "fixed", "initial_delay_ms": 10},
                  "spec": {"url": "%s", "method": "POST"}}
                """.formatted(name, receiver.uri("/work")));
        var id = start(name);
        var _ = await(id, "DEFERRED", 1);
        return id;
    }

    private static JsonPath await(String id, String status, int attempt) throws InterruptedException {
        return Eventually.await(
                "attempt %d of %s is %s".formatted(attempt, id, status),
                BOUND,
                () -> api.read("/executions/" + id),
                seen -> seen.getString("status").equals(status) && seen.getInt("attempt_count") == attempt);
    }

    private static void refused(int code, String message, String... arguments) {
        var run = cli.run(arguments);
        assertThat(run.err()).contains(message);
        assertThat(run.code()).as(run.err()).isEqualTo(code);
    }

    @Test
    void anExecutionReportsItsProgressAndMoreTimeAndIsCompletedWithAnOutput() throws Exception {
        var id = deferred();
        var begun = Instant.now();

        assertThat(cli.done(
                        "executions",
                        "progress",
                        id,
                        "--current",
                        "3",
                        "--total",
                        "12",
                        "--message",
                        "page 3",
                        "--extend",
                        "30m"))
                .isEqualTo("execution " + id + " goes on.\n");
        var seen = api.read("/executions/" + id);
        assertThat(seen.getDouble("progress.current")).isEqualTo(3);
        assertThat(seen.getDouble("progress.total")).isEqualTo(12);
        assertThat(seen.getString("progress.message")).isEqualTo("page 3");
        assertThat(Instant.parse(seen.getString("deferral.deadline"))).isAfter(begun.plus(Duration.ofMinutes(29)));

        refused(USAGE, "--current", "executions", "progress", id);
        refused(
                USAGE,
                "--extend must be a duration",
                "executions",
                "progress",
                id,
                "--current",
                "4",
                "--extend",
                "soon");
        refused(REFUSED, "/extend", "executions", "progress", id, "--current", "4", "--extend", "2h");
        refused(REFUSED, "/progress/current", "executions", "progress", id, "--current", "4", "--total", "1");
        refused(USAGE, "--output must be JSON", "executions", "complete", id, "--output", "{");
        assertThat(api.read("/executions/" + id).getDouble("progress.current")).isEqualTo(3);

        assertThat(cli.done("executions", "complete", id, "--output", "{\"rows\": 3}"))
                .isEqualTo("execution " + id + " is SUCCESS.\n");
        assertThat(api.read("/executions/" + id).getInt("output.json.rows")).isEqualTo(3);
        refused(REFUSED, "CONFLICT", "executions", "complete", id);
        refused(REFUSED, "EXECUTION_NOT_FOUND", "executions", "complete", "exec_zz");
    }

    @Test
    void aFailureIsRetriedUnlessItIsPermanent() throws Exception {
        var id = deferred();

        refused(USAGE, "--message", "executions", "fail", id);
        assertThat(cli.done("executions", "fail", id, "--message", "no paper"))
                .isEqualTo("execution " + id + " is RETRYING.\n");
        var _ = await(id, "DEFERRED", 2);
        assertThat(cli.done("executions", "fail", id, "--message", "on fire", "--permanent"))
                .isEqualTo("execution " + id + " is FAILED.\n");

        var ended = await(id, "FAILED", 2);
        assertThat(ended.getString("error.type")).isEqualTo("RECEIVER_FAILED");
        assertThat(ended.getString("error.message")).isEqualTo("on fire");
    }

    private static String asked() throws InterruptedException {
        var name = "cli-approval-" + NAMES.incrementAndGet();
        api.endpoint(name + "-chat", receiver.uri("/chat"), Map.of());
        var _ = api.create("/endpoints", """
                {"name": "%1$s", "type": "APPROVAL", "spec": {"announce": "%1$s-chat", "title": "Deploy %1$s?"}}
                """.formatted(name));
        var id = start(name);
        var _ = await(id, "DEFERRED", 1);
        return id;
    }

    private static JsonNode open() throws IOException {
        return cli.json("approvals", "list", "--open", "true");
    }

    @Test
    void questionsAreListedShownAndDecided() throws Exception {
        receiver.answer(Answer.of(200, "{}"));
        var yes = asked();
        var no = asked();

        assertThat(open().findValuesAsText("execution_id")).contains(yes, no);
        assertThat(cli.done("approvals", "list")).startsWith("EXECUTION ID").contains("Deploy cli-approval-", yes);
        assertThat(cli.done("approvals", "get", yes)).contains("title", "Deploy cli-approval-", "announce");

        assertThat(cli.done("approvals", "approve", yes, "--comment", "ship it"))
                .isEqualTo("execution " + yes + " is approved.\n");
        assertThat(cli.done("approvals", "reject", no, "--comment", "not today"))
                .isEqualTo("execution " + no + " is rejected.\n");

        var output = await(yes, "SUCCESS", 1);
        assertThat(output.getString("output.json.by")).isEqualTo("bootstrap");
        assertThat(output.getString("output.json.comment")).isEqualTo("ship it");
        assertThat(await(no, "FAILED", 1).getString("error.message")).contains("not today");
        assertThat(open().findValuesAsText("execution_id")).doesNotContain(yes, no);
        assertThat(cli.json("approvals", "get", no).path("decision").asText()).isEqualTo("reject");
        refused(REFUSED, "APPROVAL_DECIDED", "approvals", "reject", yes);
        refused(REFUSED, "APPROVAL_NOT_FOUND", "approvals", "approve", "exec_zz");
        refused(REFUSED, "APPROVAL_NOT_FOUND", "approvals", "get", "exec_zz");
        var alone = CommandRun.of("approvals");
        assertThat(alone.code()).isEqualTo(USAGE);
        assertThat(alone.err()).contains("list, get, approve or reject");
    }
}
