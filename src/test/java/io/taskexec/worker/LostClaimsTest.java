package io.taskexec.worker;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class LostClaimsTest {
    private static final Duration LEASE = Duration.ofHours(2);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final Database database = new Database(db.pool(), TestDb.PATIENCE);
    private final LeaseStore leases = Stores.leases(database);
    private final WorkerIdentity worker = new WorkerIdentity();

    @BeforeAll
    static void open() {
        rows.endpoint("mail").insert();
        db.execute("CREATE SEQUENCE runs");
    }

    /** The connection breaks while the statement runs, which then runs again on another one. */
    private void loseAnAnswer() {
        var _ = await(database.run("""
                SELECT n, CASE WHEN n = 1 THEN pg_terminate_backend(pg_backend_pid()) END
                FROM (SELECT nextval('runs') AS n) AS run
                """, Tuple.tuple()));
    }

    private static long leased() {
        return db.number("SELECT count(*) FROM exec_live WHERE visible_at > now()");
    }

    private LostClaims duty(RunningLeases running) {
        return new LostClaims(leases, running, worker, new TestConfig(10, 50, LEASE, 30));
    }

    private void claimOneAnHourAgo() {
        var _ = rows.live().endpoint("mail").insert();
        assertThat(await(leases.claim(Lanes.of(List.of(0)), 10, LEASE, worker.id())))
                .hasSize(1);
        db.execute("UPDATE exec_live SET started_at = now() - interval '1 hour'");
    }

    @Test
    void whatAClaimTookIsDueAgainWhenItsAnswerWasLostAndNotBefore() {
        claimOneAnHourAgo();
        var duty = duty(new RunningLeases());

        var _ = await(duty.runOnce());
        assertThat(leased()).isEqualTo(1);

        loseAnAnswer();
        var _ = await(duty.runOnce());
        assertThat(leased()).isZero();
    }

    @Test
    void whatWasClaimedOfAJobThatCannotBeReadAgainIsDueAgainAndAllElseBegins() {
        var changed = rows.live().endpoint("mail").insert();
        var other = rows.live().endpoint("mail").insert();
        db.execute("UPDATE exec_live SET revision = 0 WHERE execution_id = $1", changed);
        var claims = claimWithoutTags();
        db.execute("UPDATE exec_live SET started_at = now() - interval '1 hour'");
        assertThat(claims).extracting(Claim::executionId).containsExactly(other);
        var running = new RunningLeases();
        running.add(TestLease.of(claims.getFirst(), Duration.ZERO, LEASE));

        var _ = await(duty(running).runOnce());

        assertThat(leased()).isEqualTo(1);
        assertThat(db.number("SELECT attempt FROM exec_live WHERE execution_id = $1", changed))
                .isZero();
    }

    /** Only what reads a changed job again needs its tags. */
    private List<Claim> claimWithoutTags() {
        db.execute("ALTER TABLE jobs RENAME COLUMN tags TO labels");
        try {
            return await(leases.claim(Lanes.of(List.of(0)), 10, LEASE, worker.id()));
        } finally {
            db.execute("ALTER TABLE jobs RENAME COLUMN labels TO tags");
        }
    }

    @Test
    void whatCouldNotBeHandedBackIsDueAgainAsIfItHadNotBeenClaimed() {
        claimOneAnHourAgo();
        var running = new RunningLeases();
        running.unreturned();

        var _ = await(duty(running).runOnce());

        assertThat(leased()).isZero();
        assertThat(db.number("SELECT attempt FROM exec_live")).isZero();
    }
}
