package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.testing.RecordedLog;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class LeaseKeeperTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore store;

    private final RunningLeases running = new RunningLeases();

    @BeforeAll
    static void open() {
        store = Stores.leases(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    private static Claim claim() {
        rows.live().insert();
        return await(store.claim(new Integer[] {4}, 1, Duration.ofSeconds(20), UUID.randomUUID()))
                .getFirst();
    }

    /** A lease as if it had been granted {@code ago}. */
    private Lease running(Claim claim, Duration ago) {
        var lease = TestLease.of(claim, ago, LEASE);
        running.add(lease);
        return lease;
    }

    private static CompletableFuture<Outcome> cancelled(Lease lease) {
        return lease.orCancelled(() -> Uni.createFrom().nothing()).subscribeAsCompletionStage();
    }

    private static double secondsLeft(Claim claim) {
        return db.row(
                        "SELECT extract(epoch FROM visible_at - now())::float8 FROM exec_live WHERE execution_id = $1",
                        claim.executionId())
                .getDouble(0);
    }

    private Duration runOnce() {
        return await(new LeaseKeeper(store, running, LEASE).runOnce());
    }

    @Test
    void whatRunsForAThirdOfALeaseIsRenewedAndWhatIsYoungerIsNot() {
        var old = running(claim(), Duration.ofSeconds(21));
        var young = running(claim(), Duration.ofSeconds(19));
        var grantedTo = young.term();

        assertThat(runOnce()).isEqualTo(Duration.ofSeconds(5));

        assertThat(secondsLeft(old.claim())).isBetween(50.0, 60.0);
        assertThat(old.term().age()).isLessThan(Duration.ofSeconds(5));
        assertThat(old.term().length()).isEqualTo(Duration.ofSeconds(55));
        assertThat(secondsLeft(young.claim())).isLessThan(21.0);
        assertThat(young.term()).isEqualTo(grantedTo);
        assertThat(cancelled(old)).isNotDone();
    }

    @Test
    void anAttemptWhoseLeaseWentToAnotherIsCut() {
        var lost = running(claim(), Duration.ofSeconds(30));
        var kept = running(claim(), Duration.ofSeconds(30));
        db.execute(
                "UPDATE exec_live SET lease_token = lease_token + 1 WHERE execution_id = $1",
                lost.claim().executionId());

        assertThat(runOnce()).isPositive();

        assertThat(cancelled(lost)).isCompletedWithValue(new Outcome.LeaseLost());
        assertThat(cancelled(kept)).isNotDone();
    }

    @Test
    void anAttemptWhoseTermIsOverIsCutEvenBeforeTheDatabaseIsAsked() {
        var over = running(claim(), Duration.ofSeconds(56));

        assertThat(runOnce()).isPositive();

        assertThat(cancelled(over)).isCompletedWithValue(new Outcome.LeaseLost());
        assertThat(over.term().isOver()).isTrue();
    }

    @Test
    void aLeaseThatStaysLostIsToldOnce() {
        var over = running(claim(), Duration.ofSeconds(56));
        try (var log = RecordedLog.of(LeaseKeeper.class)) {
            for (var i = 0; i < 3; i++) {
                assertThat(runOnce()).isPositive();
            }

            assertThat(log.messages())
                    .containsExactly("lease lost on execution "
                            + PublicId.EXECUTION.show(over.claim().executionId()));
        }
    }

    @Test
    void aDatabaseThatIsAwayCutsNothingBeforeTheTermIsOver() {
        var closed = TestDb.fresh();
        closed.close();
        var keeper = new LeaseKeeper(Stores.leases(closed.database()), running, LEASE);
        var inTime = running(claim(), Duration.ofSeconds(30));
        var over = running(claim(), Duration.ofSeconds(56));

        assertThat(await(keeper.runOnce())).isEqualTo(Duration.ofSeconds(5));

        assertThat(cancelled(inTime)).isNotDone();
        assertThat(cancelled(over)).isCompletedWithValue(new Outcome.LeaseLost());
    }

    @Test
    void withNothingRunningThereIsNothingToAsk() {
        assertThat(runOnce()).isEqualTo(Duration.ofSeconds(5));
    }
}
