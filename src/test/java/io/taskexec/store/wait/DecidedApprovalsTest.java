package io.taskexec.store.wait;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.wait.Decision;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.CancelStore;
import io.taskexec.store.wait.ApprovalStore.Decided;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a decision that was taken is not lost to a cancellation. */
@StoreTest
class DecidedApprovalsTest {
    private static final int CLIENTS = 10;
    private static final int ROUNDS = 20;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ApprovalStore approvals;
    private static CancelStore cancelling;

    @BeforeAll
    static void open() {
        rows.endpoint(Rows.ENDPOINT).insert();
        approvals = new ApprovalStore(db.database(), new DueSignal());
        cancelling = Stores.cancelling(db.database(), new CancelSignal());
    }

    private static UUID asked() {
        var id = rows.live().attempt(1).dueIn(Duration.ofHours(1)).insert();
        db.execute("""
                UPDATE exec_live SET deferred = true, started_at = now(), worker_id = gen_random_uuid()
                WHERE execution_id = $1
                """, id);
        db.execute("""
                INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout)
                VALUES ($1, 1, 'Deploy?', 'chat', now(), now() + interval '1 day', 'fail')
                """, id);
        return id;
    }

    private static Uni<Boolean> decide(UUID id) {
        return approvals.decide(id, 1, new Decided(Decision.APPROVE, "ada", "key", null, "::1", "req_1"));
    }

    private static boolean isLive(UUID id) {
        return db.number("SELECT count(*) FROM exec_live WHERE execution_id = $1", id) == 1;
    }

    private static long cancelled(UUID id) {
        return db.number("SELECT count(*) FROM executions WHERE execution_id = $1 AND status = 'CANCELLED'", id);
    }

    @Test
    void whatWasDecidedIsCancelledByForceAlone() {
        var id = asked();
        assertThat(await(decide(id))).isTrue();

        assertThat(await(cancelling.cancel(id, false))).isFalse();
        assertThat(isLive(id)).isTrue();
        assertThat(await(cancelling.cancel(id, true))).isTrue();

        assertThat(isLive(id)).isFalse();
        assertThat(cancelled(id)).isEqualTo(1);
    }

    @Test
    void aQuestionWithoutADecisionIsCancelledAndCannotBeDecidedThen() {
        var id = asked();

        assertThat(await(cancelling.cancel(id, false))).isTrue();

        assertThat(await(decide(id))).isFalse();
    }

    /** The worker of an attempt that is not deferred yet may die; a decision about one that has failed is over. */
    @ParameterizedTest
    @CsvSource({"false, 1, false", "false, 2, true", "true, 1, false"})
    void aDecisionCountsAsLongAsItsAttempt(boolean isDeferred, int callbackFrom, boolean mayBeCancelled) {
        var id = asked();
        assertThat(await(decide(id))).isTrue();
        db.execute(
                "UPDATE exec_live SET deferred = $2, callback_from = $3::int WHERE execution_id = $1",
                id,
                isDeferred,
                callbackFrom);

        assertThat(await(cancelling.cancel(id, false))).isEqualTo(mayBeCancelled);
    }

    @Test
    @NeedsOwnServer("It looks at who waits for a lock.")
    void aCancellationThatWaitedForADecisionPassesOverIt() throws InterruptedException {
        var id = asked();
        try (var person = HeldTransaction.on(db)) {
            var _ = person.run("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);
            var _ = person.run("""
                    UPDATE approvals SET decision = 'approve', decided_by = 'ada', decided_via = 'link',
                      decided_at = now()
                    WHERE execution_id = $1
                    """, id);
            var cancelled = person.blocks(cancelling.cancel(id, false));
            person.commit();

            assertThat(cancelled.join()).isFalse();
        }
        assertThat(isLive(id)).isTrue();
    }

    @Test
    void ofTenDecisionsAndCancellationsAtOnceOneCounts() {
        for (var round = 0; round < ROUNDS; round++) {
            var id = asked();

            var done = await(Uni.join()
                    .all(IntStream.range(0, CLIENTS)
                            .mapToObj(i -> i % 2 == 0 ? decide(id) : cancelling.cancel(id, false))
                            .toList())
                    .andFailFast());

            assertThat(done).as("round " + round).containsOnlyOnce(true);
            var isDecided = IntStream.range(0, CLIENTS).anyMatch(i -> i % 2 == 0 && done.get(i));
            assertThat(isLive(id)).isEqualTo(isDecided);
            assertThat(cancelled(id)).isEqualTo(isDecided ? 0 : 1);
            assertThat(db.number("SELECT count(*) FROM approvals WHERE execution_id = $1 AND decision IS NOT NULL", id))
                    .isEqualTo(isDecided ? 1 : 0);
        }
    }
}
