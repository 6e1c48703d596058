package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.pressure.Pressure;
import io.taskexec.worker.pressure.TestPressure;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class PollerTest {
    private static final TestConfig CONFIG = new TestConfig(3, 5_000, Duration.ofMinutes(1), 30);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final RunningLeases running = new RunningLeases();
    private final DueSignal dueSignal = new DueSignal();
    private final List<Lease> begun = new ArrayList<>();
    private Slots slots = new Slots(CONFIG.maxConcurrent(), 0, running, (lease, _, _) -> begun.add(lease));

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    private final TestPressure source = new TestPressure();
    private final Pressure pressure = source.pressure();

    private Poller poller(TestConfig config) {
        var queues = new QueueStore(db.database());
        var turns = new QueueRotation(queues, db.region("default"), pressure, new PauseGate(queues));
        slots = new Slots(config.maxConcurrent(), 0, running, (lease, _, _) -> begun.add(lease));
        return WorkerBed.poller(db, turns, slots, running, config, new WorkerIdentity(), dueSignal);
    }

    private void end(int count) {
        for (var i = 0; i < count; i++) {
            slots.ended();
        }
    }

    private static void queue(int count) {
        for (var i = 0; i < count; i++) {
            rows.live().insert();
        }
    }

    private static long leased() {
        return db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL");
    }

    @Test
    void itClaimsAtMostAsManyAsThereAreFreeSlots() {
        queue(5);
        var poller = poller(CONFIG);

        assertThat(await(poller.runOnce())).isZero();
        assertThat(begun).hasSize(3);
        assertThat(leased()).isEqualTo(3);
        assertThat(slots.isAwaited()).isTrue();

        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        assertThat(leased()).isEqualTo(3);
        assertThat(slots.isAwaited()).isTrue();

        end(1);
        assertThat(await(poller.runOnce())).isZero();
        assertThat(leased()).isEqualTo(4);
    }

    @Test
    void whenThereWasLessThanItWantedItIsNotStarvedAndSleepsUntilTheNextIsDue() {
        queue(1);
        rows.live().dueIn(Duration.ofSeconds(30)).insert();
        var poller = poller(new TestConfig(3, 60_000, Duration.ofMinutes(1), 30));

        assertThat(await(poller.runOnce())).isBetween(Duration.ofMillis(500), Duration.ofSeconds(30));
        assertThat(begun).hasSize(1);
        assertThat(slots.isAwaited()).isFalse();
    }

    @Test
    void itSleepsForAnIntervalWhenNothingIsDueForLonger() {
        var poller = poller(CONFIG);
        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        rows.live().dueIn(Duration.ofHours(1)).insert();
        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        assertThat(begun).isEmpty();
    }

    @Test
    void whatIsDueButLockedByAnotherIsNotAskedForWithoutAPause() {
        var id = rows.live().insert();
        var poller = poller(CONFIG);

        var delay = await(db.pool()
                .withTransaction(transaction -> transaction
                        .preparedQuery("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE")
                        .execute(Tuple.of(id))
                        .chain(poller::runOnce)));

        assertThat(delay).isEqualTo(Duration.ofMillis(2));
        assertThat(begun).isEmpty();
    }

    @Test
    void whileItStaysLockedTheSleepGrowsToAnIntervalUntilAClaimBringsSomething() {
        var id = rows.live().insert();
        var poller = poller(new TestConfig(3, 10, Duration.ofMinutes(1), 30));

        assertThat(sleepsWhileLocked(poller, id, 5)).containsExactly(2L, 4L, 8L, 10L, 10L);

        assertThat(await(poller.runOnce())).isEqualTo(Duration.ofMillis(10));
        assertThat(begun).hasSize(1);
        assertThat(sleepsWhileLocked(poller, rows.live().insert(), 2)).containsExactly(2L, 4L);
    }

    private static List<Long> sleepsWhileLocked(Poller poller, UUID id, int claims) {
        var sleeps = new ArrayList<Long>();
        try (var other = HeldTransaction.on(db)) {
            other.run("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE", id);
            for (var i = 0; i < claims; i++) {
                sleeps.add(await(poller.runOnce()).toMillis());
            }
            other.commit();
        }
        return sleeps;
    }

    @Test
    void oneStatementClaimsAtMostFiveHundred() {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 4, now(), now(), now() FROM generate_series(1, 600)
                """);

        assertThat(await(poller(new TestConfig(1000, 5_000, Duration.ofMinutes(1), 30))
                        .runOnce()))
                .isZero();
        assertThat(begun).hasSize(500);
    }

    @Test
    void aShortQueueIsServedBesideALongOneAndTheSlotsItLeavesAreNotWasted() {
        db.execute("INSERT INTO queues (queue_id, name) VALUES (1, 'short')");
        queue(40);
        var waiting = rows.live().lane(1 * 128 + 4).insert();
        var poller = poller(CONFIG);

        for (var i = 0; i < 8; i++) {
            assertThat(await(poller.runOnce())).isZero();
            end(CONFIG.maxConcurrent());
        }

        assertThat(begun)
                .hasSize(24)
                .anyMatch(lease -> lease.claim().executionId().equals(waiting));
        db.execute("DELETE FROM queues WHERE queue_id = 1");
    }

    @Test
    void besideALongQueueThatIsKnownAJobOfAnotherOneBeginsWithTheSecondClaimAtTheLatest() {
        db.execute("INSERT INTO queues (queue_id, name) VALUES (1, 'short')");
        queue(100);
        var poller = poller(CONFIG);
        for (var i = 0; i < 16; i++) {
            assertThat(await(poller.runOnce())).isZero();
            end(CONFIG.maxConcurrent());
        }

        for (var i = 0; i < 4; i++) {
            var waiting = rows.live().lane(1 * 128 + 4).insert();
            for (var claims = 0; claims < 2; claims++) {
                assertThat(await(poller.runOnce())).isZero();
                end(CONFIG.maxConcurrent());
            }
            assertThat(begun).anyMatch(lease -> lease.claim().executionId().equals(waiting));
        }
        db.execute("DELETE FROM queues WHERE queue_id = 1");
    }

    @Test
    void jobsAreServedBesideManyTicksThatAreDue() {
        for (var i = 0; i < 40; i++) {
            rows.live().lane(8 * 8 + 4).insert();
        }
        var poller = poller(CONFIG);
        assertThat(await(poller.runOnce())).isZero();
        end(CONFIG.maxConcurrent());
        var job = rows.live().insert();

        for (var i = 0; i < 4; i++) {
            assertThat(await(poller.runOnce())).isZero();
            end(CONFIG.maxConcurrent());
        }

        assertThat(begun).anyMatch(lease -> lease.claim().executionId().equals(job));
    }

    @Test
    void onceItMustNotBeginItClaimsNothing() {
        queue(2);
        var poller = poller(CONFIG);
        poller.stopBeginning();

        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        assertThat(leased()).isZero();
    }

    /** Runs a poller whose claim waits for a lock on the table until {@code meanwhile} has been done. */
    private static CompletableFuture<Duration> runWhileLocked(Poller poller, Runnable meanwhile) {
        return await(db.pool()
                .withTransaction(transaction -> transaction
                        .query("LOCK TABLE exec_live IN ACCESS EXCLUSIVE MODE")
                        .execute()
                        .map(_ -> poller.runOnce().subscribeAsCompletionStage())
                        .call(() -> waitUntilBlocked())
                        .invoke(meanwhile)));
    }

    @Test
    void whatIsSignalledDuringAClaimIsClaimedAtOnce() {
        var poller = poller(CONFIG);
        // It knows the queues then, so that the next statement is the claim.
        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        var delay = runWhileLocked(poller, dueSignal::raise);

        assertThat(delay).succeedsWithin(TestDb.PATIENCE).isEqualTo(Duration.ZERO);
        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
    }

    @Test
    void aClaimThatWasInFlightWhenItHadToStopIsHandedBack() {
        var id = rows.live().insert();
        var poller = poller(CONFIG);
        // The claim waits for the lock on the table; by the time it gets it, the poller is to begin nothing.
        var delay = runWhileLocked(poller, poller::stopBeginning);

        assertThat(delay).succeedsWithin(TestDb.PATIENCE);
        assertThat(begun).isEmpty();
        var row = db.row("SELECT * FROM exec_live WHERE execution_id = $1", id);
        assertThat(row.getLong("lease_token")).isNull();
        assertThat(row.getInteger("attempt")).isZero();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at <= now()"))
                .isEqualTo(1);
    }

    private static Uni<Boolean> waitUntilBlocked() {
        return db.pool()
                .query("SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND relation = 'exec_live'::regclass")
                .execute()
                .map(rows -> rows.iterator().next().getLong("n") > 0)
                .repeat()
                .withDelay(Duration.ofMillis(5))
                .whilst(blocked -> !blocked)
                .collect()
                .last();
    }

    private static UUID lost(int workers) {
        return rows.live()
                .leased(UUID.randomUUID(), Duration.ofMillis(-1))
                .rescues(workers - 1)
                .insert();
    }

    @Test
    void ofThoseThatHaveLostTwoWorkersOneIsRunAtATimeAndTheOthersArePutBackForASecond() {
        var suspects = List.of(lost(2), lost(2), lost(3));
        var others = List.of(lost(1), rows.live().insert(), lost(LeaseStore.MAX_RESCUES + 1));
        var poller = poller(new TestConfig(10, 50, Duration.ofMinutes(1), 30));
        var before = db.row("SELECT now()").getOffsetDateTime(0);

        var _ = await(poller.runOnce());

        assertThat(begun)
                .extracting(lease -> lease.claim().executionId())
                .containsAll(others)
                .hasSize(4);
        var first = begun.stream()
                .filter(lease -> suspects.contains(lease.claim().executionId()))
                .findFirst()
                .orElseThrow();
        assertThat(db.number("""
                        SELECT count(*) FROM exec_live WHERE lease_token IS NULL AND rescues >= 2
                          AND visible_at BETWEEN $1::timestamptz + interval '1 second' AND now() + interval '1 second'
                        """, before)).isEqualTo(2);

        db.execute("UPDATE exec_live SET visible_at = now() WHERE lease_token IS NULL");
        var _ = await(poller.runOnce());
        assertThat(begun).hasSize(4);

        running.remove(first);
        db.execute("UPDATE exec_live SET visible_at = now() WHERE lease_token IS NULL");
        var _ = await(poller.runOnce());
        assertThat(begun).hasSize(5);
        assertThat(begun.getLast().claim().rescues()).isBetween(2, LeaseStore.MAX_RESCUES);
    }

    /** What one execution that kills its workers does to those that are claimed with it. */
    @Test
    void whatKillsItsWorkersIsGivenUpAndWhatWasClaimedWithItIsNot() {
        for (var i = 0; i < 8; i++) {
            rows.live().insert();
        }
        var killer = rows.live().insert();
        var ended = new HashSet<UUID>();
        var deaths = 0;
        while (ended.size() < 9) {
            running.cancelAll(new Outcome.LeaseLost());
            begun.forEach(running::remove);
            begun.clear();
            // A new worker, to which everything is due that the one before had not ended.
            db.execute("UPDATE exec_live SET visible_at = now()");
            var _ = await(
                    poller(new TestConfig(10, 50, Duration.ofMinutes(1), 30)).runOnce());
            var doomed = begun.stream()
                    .anyMatch(lease -> lease.claim().executionId().equals(killer)
                            && lease.claim().rescues() <= LeaseStore.MAX_RESCUES);
            if (doomed) {
                deaths++;
            } else {
                begun.stream().map(Lease::claim).forEach(claim -> {
                    if (!claim.executionId().equals(killer)) {
                        assertThat(claim.rescues()).isLessThanOrEqualTo(LeaseStore.MAX_RESCUES);
                    }
                    ended.add(claim.executionId());
                    db.execute("DELETE FROM exec_live WHERE execution_id = $1", claim.executionId());
                });
            }
        }
        assertThat(deaths).isEqualTo(LeaseStore.MAX_RESCUES + 1);
    }

    @Test
    void underPressureLessUrgentExecutionsAreNeitherClaimedNorWaitedFor() {
        source.settle(0.8);
        var urgent = rows.live().lane(2).insert();
        rows.live().lane(3).insert();
        rows.live().lane(7).insert();
        var poller = poller(CONFIG);

        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        assertThat(begun).extracting(lease -> lease.claim().executionId()).containsExactly(urgent);

        source.settle(0.6);
        assertThat(await(poller.runOnce())).isEqualTo(CONFIG.pollInterval());
        assertThat(begun).hasSize(2);

        source.settle(0);
        assertThat(await(poller.runOnce())).isZero();
        assertThat(begun).hasSize(3);
    }
}
