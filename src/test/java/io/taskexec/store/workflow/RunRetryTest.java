package io.taskexec.store.workflow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.workflow.RunRetry.Result;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
@StoreTest
class RunRetryTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static RunRetry retries;

    @BeforeAll
    static void open() {
        rows.endpoint(Rows.ENDPOINT).insert();
        var regions = db.region("default");
        var replays = new ReplayStore(db.database(), new DueSignal(), regions);
        retries = new RunRetry(db.database(), replays, regions, new DueSignal());
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM workflow_runs");
        db.execute("DELETE FROM workflow_nodes");
    }

    private static UUID failedRun() {
        var run = rows.finished().status("FAILED").insert();
        var job = rows.finished().status("FAILED").insert();
        db.execute(
                "INSERT INTO workflow_runs (run_id, job_id, name, started_at, ended) VALUES ($1, $1, 'x', now(), true)",
                run);
        db.execute("INSERT INTO workflow_nodes (run_id, name, job_id) VALUES ($1, 'a', $2)", run, job);
        return run;
    }

    private static long live() {
        return db.number("SELECT count(*) FROM exec_live");
    }

    @Test
    void ofTwoRetriesAtOnceOneStarts() throws InterruptedException {
        var run = failedRun();
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT 1 FROM workflow_runs WHERE run_id = $1 FOR UPDATE", run);
            var retry = other.blocks(retries.retry(run, Uuid7.next()));
            var _ = other.run(
                    "INSERT INTO workflow_runs (run_id, job_id, name, retry_of) VALUES ($1, $2, 'x', $2)",
                    Uuid7.next(),
                    run);
            other.commit();

            assertThat(retry.join()).isEqualTo(Result.RETRIED);
        }
        assertThat(live()).isZero();
    }

    @Test
    void ofTenRetriesAtOnceOneStarts() {
        var run = failedRun();

        var results = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> retries.retry(run, Uuid7.next()))
                        .toList())
                .andFailFast());

        assertThat(results).containsOnlyOnce(Result.STARTED).containsOnly(Result.STARTED, Result.RETRIED);
        assertThat(live()).isEqualTo(1);
    }

    @Test
    void aRetryOfWhichTheAnswerWasLostHasStarted() {
        var run = failedRun();
        var retry = Uuid7.next();

        assertThat(await(retries.retry(run, retry))).isEqualTo(Result.STARTED);
        assertThat(await(retries.retry(run, retry))).isEqualTo(Result.STARTED);
        assertThat(await(retries.retry(run, Uuid7.next()))).isEqualTo(Result.RETRIED);

        assertThat(live()).isEqualTo(1);
    }
}
