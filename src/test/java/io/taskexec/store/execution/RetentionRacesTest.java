package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The removal of a job for its age meets a replay of it. */
@NeedsOwnServer("It asks PostgreSQL who waits for whom.")
@StoreTest
class RetentionRacesTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ReplayStore replays;

    @BeforeAll
    static void open() {
        var region = db.region("default");
        replays = new ReplayStore(db.database(), new DueSignal(), region);
        await(region.refresh());
        rows.endpoint(ENDPOINT).insert();
    }

    /** The job is younger than what is removed of it. */
    @Test
    void aJobIsNotRemovedForItsAgeWhileItIsRepeated() throws InterruptedException {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        var retention = new RetentionStore(db.database());
        try (var repeating = HeldTransaction.on(db)) {
            var _ = repeating.run("SELECT 1 FROM jobs WHERE job_id = $1 FOR KEY SHARE", old);
            var removed = repeating.blocks(retention.deleteEndedBefore(
                    Instant.now().minus(Duration.ofDays(30)), new UUID(0, 0), Uuid7.next(), 10));
            var _ = repeating.run(
                    "INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)"
                            + " VALUES ($1, $2, 4, now(), now(), now())",
                    Uuid7.next(),
                    old);
            repeating.commit();

            assertThat(removed.join().removed()).isEqualTo(1);
        }
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    @Test
    void aJobThatIsJustBeingRemovedIsNotRepeated() throws InterruptedException {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        try (var removing = HeldTransaction.on(db)) {
            var _ = removing.run("DELETE FROM jobs WHERE job_id = $1", old);
            var _ = removing.run("DELETE FROM executions WHERE execution_id = $1", old);
            var repeated = removing.blocks(replays.replay(old, Uuid7.next()));
            removing.commit();

            assertThat(repeated.join()).isFalse();
        }
        assertThat(db.number("SELECT count(*) FROM exec_live")).isZero();
    }
}
