package io.taskexec.store.workflow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("It skips rows that are locked.")
@StoreTest
class RunCancellationTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static RunCancellation cancellation;

    @BeforeAll
    static void open() {
        rows.endpoint(Rows.ENDPOINT).insert();
        var database = db.database();
        var cancelling = Stores.cancelling(database, new CancelSignal());
        cancellation = new RunCancellation(
                database,
                cancelling,
                new CancelSignal(),
                new FlowReleases(database, new DueSignal()),
                new DependencyReleases(database, new DueSignal()),
                new RunEnd(database, Stores.recorder(database), cancelling));
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM workflow_runs");
        db.execute("DELETE FROM workflow_nodes");
    }

    private static UUID run(UUID job) {
        var run = rows.live().insert();
        db.execute("INSERT INTO workflow_runs (run_id, job_id, name, started_at) VALUES ($1, $1, 'x', now())", run);
        db.execute("INSERT INTO workflow_nodes (run_id, name, job_id) VALUES ($1, 'a', $2)", run, job);
        return run;
    }

    private static boolean isLive(UUID job) {
        return db.number("SELECT count(*) FROM exec_live WHERE execution_id = $1", job) == 1;
    }

    @Test
    void aJobThatWasLockedWhenItsRunWasCancelledWithForceIsCancelledLater() {
        var job = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(1)).insert();
        var run = run(job);
        try (var claim = HeldTransaction.on(db)) {
            var _ = claim.run("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE", job);
            assertThat(await(cancellation.cancel(run, "x", true))).isTrue();
            claim.commit();
        }
        assertThat(isLive(job)).isTrue();

        assertThat(await(cancellation.sweep().replaceWith(true))).isTrue();

        assertThat(isLive(job)).isFalse();
    }

    @Test
    void withoutForceWhatRunsGoesOn() {
        var job = rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(1)).insert();
        var run = run(job);

        assertThat(await(cancellation.cancel(run, "x", false))).isTrue();
        assertThat(await(cancellation.sweep().replaceWith(true))).isTrue();
        assertThat(isLive(job)).isTrue();

        assertThat(await(cancellation.cancel(run, "x", true))).isTrue();
        assertThat(isLive(job)).isFalse();
    }

    @Test
    void withoutForceAJobThatAPersonHasDecidedAboutEndsWithTheDecision() {
        var job = rows.live().attempt(1).insert();
        db.execute("UPDATE exec_live SET deferred = true, started_at = now() WHERE execution_id = $1", job);
        db.execute("""
                INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout, decision,
                  decided_via, decided_at)
                VALUES ($1, 1, 'Deploy?', 'chat', now(), now() + interval '1 day', 'fail', 'approve', 'link', now())
                """, job);
        var run = run(job);

        assertThat(await(cancellation.cancel(run, "x", false))).isTrue();
        assertThat(await(cancellation
                        .cancelJobs(run, RunCancellation.Extent.WAITING)
                        .replaceWith(true)))
                .isTrue();
        assertThat(isLive(job)).isTrue();

        assertThat(await(cancellation.cancel(run, "x", true))).isTrue();
        assertThat(isLive(job)).isFalse();
    }
}
