package io.taskexec.workflow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.resolve.JobInput;
import io.taskexec.resolve.Resolution;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.workflow.RunStore;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class WorkflowRunsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static WorkflowRuns runs;

    private UUID run = new UUID(0, 0);

    @BeforeAll
    static void open() {
        rows.endpoint(Rows.ENDPOINT).insert();
        runs = RealWorkflows.on(db, new DueSignal());
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM workflow_runs");
        db.execute("DELETE FROM workflow_nodes");
        run = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(1)).insert();
        db.execute("UPDATE exec_live SET lease_token = 1");
    }

    /** Moves on the run of a workflow that is described in single quotes. */
    private void advance(String workflow) {
        var spec = WorkflowSpec.of(Rows.json(workflow));
        var claim =
                new NewClaim().ids(run, run).expiresIn(Duration.ofMinutes(10)).claimed();

        var outcome = await(runs.advance(
                claim,
                new Resolution.Workflow(spec, () -> Uni.createFrom().item(new JobInput.Ready(null, null, null)))));

        assertThat(outcome).isInstanceOf(Outcome.Recorded.class);
    }

    /** The statuses of its jobs. */
    private List<String> statuses() {
        return await(new RunStore(db.database()).nodes(run)).stream()
                .map(node -> node.name() + " " + node.status())
                .toList();
    }

    private OffsetDateTime deadline(UUID execution) {
        return db.row("SELECT deadline FROM exec_live WHERE execution_id = $1", execution)
                .getOffsetDateTime(0);
    }

    private UUID job() {
        return db.row("SELECT job_id FROM workflow_nodes WHERE run_id = $1", run)
                .getUUID(0);
    }

    @Test
    void noJobBeginsAfterTheDeadlineOfTheRunAroundIt() {
        db.execute("UPDATE exec_live SET expires_at = now() + interval '10 minutes', deadline = now()"
                + " + interval '10 minutes'");
        var around = deadline(run);

        advance("{'deadline': 'PT1H', 'jobs': {'a': {'endpoint': 'welcome'}}}");

        assertThat(deadline(job())).isEqualTo(around);
    }

    @Test
    void theDeadlineOfARunCountsWhereItIsTheEarlierOne() {
        db.execute("UPDATE exec_live SET expires_at = now() + interval '10 minutes', deadline = now()"
                + " + interval '10 minutes'");
        var around = deadline(run);

        advance("{'deadline': 'PT1M', 'jobs': {'a': {'endpoint': 'welcome'}}}");

        assertThat(deadline(job())).isBefore(around.minusMinutes(8));
    }

    @Test
    void aJobWithoutParentsThatAlwaysRunsIsLeftByACancelWithoutForce() {
        advance("{'jobs': {'clean': {'endpoint': 'welcome', 'trigger_rule': 'always', 'delay': 'PT1H'},"
                + " 'late': {'endpoint': 'welcome'}}}");
        assertThat(statuses()).containsExactly("clean PENDING", "late QUEUED");
        var cancellation = RealWorkflows.cancellation(db.database(), new DueSignal());

        assertThat(await(cancellation.cancel(run, "x", false))).isTrue();
        assertThat(statuses()).containsExactly("clean PENDING", "late CANCELLED");

        assertThat(await(cancellation.cancel(run, "x", true))).isTrue();
        assertThat(statuses()).containsExactly("clean CANCELLED", "late CANCELLED");
    }

    @Test
    void aRunThatHasFailedHasItsOutputToo() throws Exception {
        var workflow = "{'jobs': {'a': {'endpoint': 'welcome'}}}";
        advance(workflow);
        assertThat(await(Stores.cancelling(db.database(), new CancelSignal()).cancel(job(), false)))
                .isTrue();
        db.execute("UPDATE exec_live SET trigger_rule = NULL, lease_token = 1, worker_id = $1, attempt = 1", run);

        advance(workflow);

        var ended = db.row("SELECT status, output::text, error::text FROM executions WHERE execution_id = $1", run);
        assertThat(ended.getString(0)).isEqualTo("FAILED");
        assertThat(Json.parse(ended.getString(1)).at("/jobs/a").asText()).isEqualTo("CANCELLED");
        assertThat(Json.parse(ended.getString(2)).at("/type").asText()).isEqualTo("WORKFLOW_FAILED");
    }
}
