package io.taskexec.worker;

import static io.taskexec.testing.TestDb.PATIENCE;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.OpenDispatcher;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.RecordedLog;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.wait.RealApprovals;
import io.taskexec.worker.breaker.TestBreakers;
import io.taskexec.worker.observe.TestObservation;
import io.taskexec.workflow.RealWorkflows;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Attempts that have ended in the database before the statement that records their result finds them. */
@StoreTest
@NeedsOwnServer("It looks at who waits for whom.")
class LostAnswerTest {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final UUID WORKER = UUID.randomUUID();

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Receiver receiver;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Database database = new Database(db.pool(), PATIENCE, false, Meters.of(registry));

    @BeforeAll
    static void open() {
        receiver = new Receiver();
        rows.endpoint("once").url(receiver.uri("/once").toString()).insert();
    }

    @AfterAll
    static void close() {
        receiver.close();
    }

    private Pipeline pipeline() {
        var dueSignal = new DueSignal();
        var resolver = RealResolver.on(db.database(), new SecretCipher(KeyRing.parse(KeyRing.generate())));
        var dispatcher = OpenDispatcher.on(TestDb.vertx());
        var addresses = new CallbackAddresses(TestDeliveries.TOKENS, Optional::empty);
        var approvals = RealApprovals.on(db, dueSignal, addresses);
        var looks = new DeferredLooks(new DeferralStore(database), resolver, dispatcher, approvals);
        return new Pipeline(
                resolver,
                new Deliveries(dispatcher, addresses, looks, approvals, Stores.leases(db.database())),
                Stores.recorder(database),
                TestBreakers.on(db.database(), TestBreakers.OFF),
                new PauseGate(new QueueStore(db.database())),
                TestObservation.off(),
                RealWorkflows.on(db, dueSignal));
    }

    /**
     * Runs an attempt that succeeds, and lets it end with {@code status} before its result is recorded; returns whether
     * it is.
     */
    private CompletableFuture<Boolean> recorded(String status, boolean answerIsLost) throws InterruptedException {
        return recorded(rows.live().endpoint("once").insert(), status, answerIsLost);
    }

    private static Claim claimed() {
        return await(Stores.leases(db.database()).claim(Lanes.of(List.of(0)), 1, LEASE, WORKER))
                .getFirst();
    }

    private CompletableFuture<Boolean> recorded(UUID id, String status, boolean answerIsLost)
            throws InterruptedException {
        var lease = TestLease.of(claimed(), LEASE.dividedBy(2), LEASE);
        try (var other = HeldTransaction.on(db)) {
            other.run("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE", id);
            var recorded = other.blocks(Uni.createFrom()
                    .<Boolean>emitter(emitter -> pipeline().run(lease, WORKER, () -> {}, emitter::complete)));
            if (answerIsLost) {
                loseAnswer();
            }
            other.run("""
                    WITH removed AS (DELETE FROM exec_live WHERE execution_id = $1 RETURNING *)
                    INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, worker_id, run_at,
                      started_at, completed_at, created_at)
                    SELECT execution_id, job_id, lane, $2, attempt, worker_id, run_at, started_at, now(), created_at
                    FROM removed
                    """, id, status);
            other.commit();
            return recorded;
        }
    }

    private void loseAnswer() {
        var lost = database.run(
                        "DO $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '08006'; END $$", Tuple.tuple())
                .replaceWith(false)
                .onFailure()
                .recoverWithItem(true);
        assertThat(await(lost)).isTrue();
    }

    private double succeeded() {
        return registry.get("taskexec.executions")
                .tag("outcome", "success")
                .counter()
                .count();
    }

    @Test
    void aResultThatIsStoredThoughItsAnswerWasLostIsRecordedAndCounted() throws InterruptedException {
        try (var log = RecordedLog.of(Pipeline.class)) {
            assertThat(recorded("SUCCESS", true)).succeedsWithin(PATIENCE).isEqualTo(true);

            assertThat(succeeded()).isEqualTo(1);
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void whenAnotherOneIsStoredTheLogClaimsNothing() throws InterruptedException {
        try (var log = RecordedLog.of(Pipeline.class)) {
            assertThat(recorded("CANCELLED", true)).succeedsWithin(PATIENCE).isEqualTo(false);

            assertThat(succeeded()).isZero();
            assertThat(log.messages()).hasSize(1);
            assertThat(log.messages().getFirst()).startsWith("it is not known whether the result of execution exec_");
        }
    }

    @Test
    void whenNoAnswerWasLostItWasEndedByOthers() throws InterruptedException {
        try (var log = RecordedLog.of(Pipeline.class)) {
            assertThat(recorded("SUCCESS", false)).succeedsWithin(PATIENCE).isEqualTo(false);

            assertThat(succeeded()).isZero();
            assertThat(log.messages()).hasSize(1);
            assertThat(log.messages().getFirst()).endsWith(" was completed by a callback or ended by a caller");
        }
    }

    @Test
    void ofAResultThatLeavesNoStatusTheLogSaysNothing() throws InterruptedException {
        try (var log = RecordedLog.of(Pipeline.class)) {
            var id = rows.live().endpoint("once").insert();
            // Within the half of the lease that seems to be over when the attempt begins.
            db.execute("UPDATE exec_live SET expires_at = now() + interval '20 s' WHERE execution_id = $1", id);

            assertThat(recorded(id, "EXPIRED", true)).succeedsWithin(PATIENCE).isEqualTo(false);

            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void ofALookThatIsTakenAgainTheLogSaysNothing() throws InterruptedException {
        try (var log = RecordedLog.of(Pipeline.class)) {
            var id = rows.live().endpoint("once").insert();
            var terms = new DeferralTerms(DeferralMode.CALLBACK, Duration.ofMillis(1), null, null, null);
            assertThat(await(Stores.recorder(db.database()).record(claimed(), WORKER, new Transition.Defer(terms))))
                    .isTrue();
            db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", id);

            assertThat(recorded(id, "CANCELLED", true)).succeedsWithin(PATIENCE).isEqualTo(false);

            assertThat(log.messages()).isEmpty();
        }
    }
}
