package io.taskexec.store.workflow;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Retention removes runs of workflows as a whole. */
@StoreTest
class RunRetentionTest {
    private static final Duration KEPT = Duration.ofDays(30);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void register() {
        rows.endpoint(Rows.ENDPOINT).insert();
    }

    @AfterEach
    void clear() {
        rows.clearJobs();
        db.execute("DELETE FROM workflow_runs");
        db.execute("DELETE FROM workflow_nodes");
    }

    /** Removes what is old, in one walk, a few rows at a time. */
    private static void removeOld() {
        var store = new RetentionStore(db.database());
        var after = new UUID(0, 0);
        for (UUID last = after; last != null; ) {
            last = await(store.deleteEndedBefore(Instant.now().minus(KEPT), after, Uuid7.next(), 1))
                    .last();
            after = last == null ? after : last;
        }
    }

    private static UUID ended(int daysAgo) {
        return rows.finished()
                .id(Rows.idFrom(Duration.ofDays(daysAgo + 1)))
                .createdAgo(Duration.ofDays(daysAgo + 1))
                .endedAgo(Duration.ofDays(daysAgo))
                .insert();
    }

    private static void node(UUID run, String name, UUID job) {
        db.execute(
                "INSERT INTO workflow_runs (run_id, job_id, name, started_at) VALUES ($1, $1, 'x', now())"
                        + " ON CONFLICT (run_id) DO NOTHING",
                run);
        db.execute("INSERT INTO workflow_nodes (run_id, name, job_id) VALUES ($1, $2, $3)", run, name, job);
    }

    @Test
    void theJobsOfARunThatIsOpenStayHoweverOldTheyAre() {
        var run = rows.live().id(Rows.idFrom(Duration.ofDays(60))).insert();
        node(run, "a", ended(50));

        removeOld();

        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(1);
    }

    @Test
    void aRunThatIsOldGoesWithAllItsJobs() {
        var run = ended(50);
        node(run, "a", ended(49));
        node(run, "b", ended(48));
        var kept = ended(29);
        node(kept, "c", ended(45));

        removeOld();

        assertThat(db.number("SELECT count(*) FROM executions WHERE execution_id <> $1", kept))
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM workflow_runs")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM workflow_nodes")).isEqualTo(1);
    }

    @Test
    void aRunStaysUntilItsRetryHasStarted() {
        var first = ended(50);
        node(first, "a", ended(49));
        var retry = rows.live().insert();
        db.execute("INSERT INTO workflow_runs (run_id, job_id, name, retry_of) VALUES ($1, $2, 'x', $2)", retry, first);

        removeOld();

        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM workflow_nodes")).isEqualTo(1);
    }

    @Test
    void whatAJobWaitedForStaysForAReplayOfIt() {
        var parent = ended(50);
        var child = ended(49);
        db.execute("INSERT INTO job_edges VALUES ($1, $2, 'a', true)", child, parent);
        var replay = rows.live().insert();
        db.execute("UPDATE exec_live SET job_id = $1 WHERE execution_id = $2", child, replay);

        removeOld();
        removeOld();

        assertThat(db.number("SELECT count(*) FROM job_edges")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM executions WHERE execution_id = $1", parent))
                .isEqualTo(1);

        db.execute("DELETE FROM exec_live WHERE execution_id = $1", replay);
        var again = ended(40);
        db.execute("UPDATE executions SET job_id = $1 WHERE execution_id = $2", child, again);
        removeOld();
        removeOld();

        assertThat(db.number("SELECT count(*) FROM job_edges")).isZero();
        assertThat(db.number("SELECT count(*) FROM executions")).isZero();
    }

    @Test
    void whatARetryKeepsStaysWithTheRetry() {
        var first = ended(50);
        var job = ended(49);
        node(first, "a", job);
        node(ended(20), "a", job);

        removeOld();

        assertThat(db.number("SELECT count(*) FROM executions WHERE execution_id = $1", job))
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(2);
    }
}
