package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.pressure.Pressure;
import io.taskexec.worker.pressure.TestPressure;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The poller where queues have weights, executions age, or there are very many queues. */
@StoreTest
class ShareClaimsTest {
    private static final Duration STEP = Duration.ofMinutes(5);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final TestPressure source = new TestPressure();
    private final Pressure pressure = source.pressure();
    private final RunningLeases running = new RunningLeases();
    private final List<Lease> begun = new ArrayList<>();
    private Slots slots = slots(1);

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    @AfterEach
    void removeQueues() {
        db.execute("DELETE FROM queues WHERE queue_id > 0");
        db.execute("DELETE FROM queue_limits");
        db.execute("UPDATE queues SET weight = 1, aging_ms = NULL, max_concurrency = NULL, rate_limit = NULL,"
                + " rate_per_ms = NULL, rate_burst = NULL");
    }

    private Slots slots(int count) {
        return new Slots(count, 0, running, (lease, _, _) -> begun.add(lease));
    }

    private Poller poller(int slotCount) {
        return poller(slotCount, 5_000);
    }

    private Poller poller(int slotCount, int intervalMs) {
        slots = slots(slotCount);
        var queues = new QueueStore(db.database());
        return WorkerBed.poller(
                db,
                new QueueRotation(queues, db.region("default"), pressure, new PauseGate(queues)),
                slots,
                running,
                new TestConfig(slotCount, intervalMs, Duration.ofMinutes(1), 30),
                new WorkerIdentity(),
                new DueSignal());
    }

    private static void queue(int id, int weight) {
        db.execute("INSERT INTO queues (queue_id, name, weight) VALUES ($1, $2, $3)", id, "queue-" + id, weight);
    }

    private static void fill(int lane, int count) {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), $1, now() - i * interval '1 second', now(), now()
                FROM generate_series(1, $2::int) AS i
                """, lane, count);
    }

    /** Until so many have begun, each of which ends at once. */
    private void runUntil(Poller poller, int count) {
        while (begun.size() < count) {
            var before = begun.size();
            var delay = await(poller.runOnce());
            assertThat(delay.isZero() || begun.size() > before).isTrue();
            for (var i = before; i < begun.size(); i++) {
                slots.ended();
            }
        }
    }

    private static Map<Integer, Long> claimedByQueue() {
        return db.rows("SELECT lane, count(*) AS n FROM exec_live WHERE lease_token IS NOT NULL GROUP BY lane").stream()
                .collect(Collectors.groupingBy(
                        row -> Lanes.queueId(row.getInteger("lane")), Collectors.summingLong(row -> row.getLong("n"))));
    }

    private boolean hasBegun(UUID id) {
        return begun.stream().anyMatch(lease -> lease.claim().executionId().equals(id));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 50})
    void saturatedQueuesGetTheSharesOfTheirWeights(int slotCount) {
        queue(1, 6);
        queue(2, 3);
        queue(3, 1);
        for (var id = 1; id <= 3; id++) {
            fill(Lanes.lane(id, 0, false, 4), 400);
        }
        // Some of the work of one queue are ticks, few of which are due at a time.
        fill(Lanes.lane(1, 0, true, 4), 3);

        runUntil(poller(slotCount), 400);

        var claimed = claimedByQueue();
        var one = 100.0 / begun.size();
        assertThat(claimed.getOrDefault(1, 0L) * one).isCloseTo(60, Offset.offset(3.0));
        assertThat(claimed.getOrDefault(2, 0L) * one).isCloseTo(30, Offset.offset(3.0));
        assertThat(claimed.getOrDefault(3, 0L) * one).isCloseTo(10, Offset.offset(3.0));
    }

    @Test
    void whatAQueueDoesNotNeedIsForTheOthers() {
        queue(1, 100);
        queue(2, 1);
        fill(Lanes.lane(1, 0, false, 4), 5);
        fill(Lanes.lane(2, 0, false, 4), 35);

        runUntil(poller(20), 40);

        assertThat(claimedByQueue()).containsOnly(Map.entry(1, 5L), Map.entry(2, 35L));
    }

    @Test
    void jobsAreServedBesideManyTicksOfAQueueWithAWeight() {
        queue(1, 5);
        fill(Lanes.lane(1, 0, true, 0), 100);
        fill(Lanes.lane(1, 0, false, 7), 10);

        runUntil(poller(10), 20);

        assertThat(db.number(
                        "SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL AND lane = $1",
                        Lanes.lane(1, 0, false, 7)))
                .isEqualTo(10);
    }

    @Test
    void underEndlessUrgentWorkWhatHasWaitedEightStepsBeginsWithTheNextClaims() {
        db.execute("UPDATE queues SET aging_ms = $1", STEP.toMillis());
        fill(0, 500);
        var young = rows.live().lane(7).dueSince(STEP.multipliedBy(6)).insert();
        var old = rows.live().lane(7).dueSince(STEP.multipliedBy(8)).insert();
        var poller = poller(3);

        runUntil(poller, 6);

        assertThat(hasBegun(old)).isTrue();
        runUntil(poller, 300);
        assertThat(hasBegun(young)).isFalse();
    }

    @Test
    void urgentWorkIsNotBehindAllThatHasAged() {
        db.execute("UPDATE queues SET aging_ms = $1", STEP.toMillis());
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 7, now() - interval '1 day', now(), now()
                FROM generate_series(1, 100)
                """);
        var urgent = rows.live().lane(0).insert();

        runUntil(poller(3), 6);

        assertThat(hasBegun(urgent)).isTrue();
    }

    @Test
    void ofAThousandQueuesEachIsServedAndWhenAllIsDoneThePollerSleeps() {
        db.execute("""
                INSERT INTO queues (queue_id, name)
                SELECT i, 'queue-' || i FROM generate_series(1, $1::int - 1) AS i
                """, QueueStore.MAX_QUEUES);
        fill(Lanes.lane(0, 0, false, 4), 600);
        for (var id = 1; id < QueueStore.MAX_QUEUES; id += 100) {
            fill(Lanes.lane(id, 0, false, 4), 2);
        }
        rows.live()
                .lane(Lanes.lane(999, 0, true, 4))
                .dueIn(Duration.ofSeconds(30))
                .insert();
        var poller = poller(100, 60_000);

        runUntil(poller, 100);
        assertThat(claimedByQueue()).hasSize(11);
        runUntil(poller, 620);

        assertThat(await(poller.runOnce())).isBetween(Duration.ofMillis(2), Duration.ofSeconds(30));
        assertThat(slots.isAwaited()).isFalse();
    }

    @Test
    void whatIsDueButLockedByAnotherIsNotAskedForWithoutAPause() {
        queue(1, 2);
        var id = rows.live().insert();
        var poller = poller(3);

        var delay = await(db.pool()
                .withTransaction(transaction -> transaction
                        .preparedQuery("SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE")
                        .execute(Tuple.of(id))
                        .chain(poller::runOnce)));

        assertThat(delay).isEqualTo(Duration.ofMillis(2));
        assertThat(begun).isEmpty();
    }

    @Test
    void withoutAnythingDueThePollerSleepsForItsInterval() {
        queue(1, 2);

        assertThat(await(poller(3).runOnce())).isEqualTo(Duration.ofSeconds(5));
    }

    /** Ends an execution as if its result had been recorded. */
    private void end(Lease lease) {
        db.execute(
                "DELETE FROM exec_live WHERE execution_id = $1", lease.claim().executionId());
        slots.ended();
        slots.finished(lease, true);
    }

    @Test
    void aFullQueueIsNotAskedForUntilOneOfItsExecutionsHasEnded() {
        db.execute("UPDATE queues SET max_concurrency = 2");
        db.execute("INSERT INTO queue_limits (queue_id) VALUES (0)");
        queue(1, 1);
        fill(4, 10);
        fill(Lanes.lane(1, 0, false, 4), 3);
        var poller = poller(10);

        while (begun.size() < 5) {
            var _ = await(poller.runOnce());
        }
        assertThat(claimedByQueue()).containsOnly(Map.entry(0, 2L), Map.entry(1, 3L));
        assertThat(await(poller.runOnce())).isBetween(Duration.ofMillis(2), Duration.ofMillis(250));
        assertThat(begun).hasSize(5);
        begun.stream()
                .filter(lease -> db.number(
                                "SELECT lane FROM exec_live WHERE execution_id = $1",
                                lease.claim().executionId())
                        == 4)
                .toList()
                .forEach(this::end);
        var _ = await(poller.runOnce());

        assertThat(begun).hasSize(7);
    }

    private static UUID deferred(Duration dueIn) {
        var id = rows.live().attempt(1).dueIn(dueIn).insert();
        db.execute("UPDATE exec_live SET deferred = true, started_at = now() WHERE execution_id = $1", id);
        return id;
    }

    private static void capAt(int places) {
        db.execute("UPDATE queues SET max_concurrency = $1", places);
        db.execute("INSERT INTO queue_limits (queue_id) VALUES (0)");
    }

    @Test
    void whatIsDeferredInAFullQueueIsLookedAfterAtItsTime() throws Exception {
        capAt(1);
        fill(4, 10);
        var poller = poller(10);
        while (begun.isEmpty()) {
            var _ = await(poller.runOnce());
        }
        var _ = await(poller.runOnce());
        var id = deferred(Duration.ofMillis(300));

        Eventually.await("it is looked after", Duration.ofSeconds(10), () -> {
            var _ = await(poller.runOnce());
            return hasBegun(id);
        });

        assertThat(begun).hasSize(2);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE holds_queue"))
                .isEqualTo(1);
    }

    @Test
    void inAQueueWithoutTokensThePollerWakesUpForWhatIsDeferred() {
        db.execute("UPDATE queues SET rate_limit = 1, rate_per_ms = 3600000, rate_burst = 1");
        db.execute("INSERT INTO queue_limits (queue_id) VALUES (0)");
        fill(4, 10);
        var poller = poller(10);
        while (begun.isEmpty()) {
            var _ = await(poller.runOnce());
        }
        var _ = deferred(Duration.ofSeconds(30));
        var _ = await(poller.runOnce());

        assertThat(await(poller.runOnce())).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void whatIsDeferredInFullQueuesLeavesSlotsToOthers() {
        capAt(1);
        queue(1, 1);
        fill(4, 2);
        for (var i = 0; i < 20; i++) {
            var _ = deferred(Duration.ofMillis(-1));
        }
        fill(Lanes.lane(1, 0, false, 4), 20);
        var poller = poller(10);

        while (begun.size() < 10) {
            var _ = await(poller.runOnce());
        }

        assertThat(claimedByQueue().getOrDefault(1, 0L)).isGreaterThanOrEqualTo(4);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE deferred AND lease_token IS NOT NULL"))
                .isPositive();
    }

    @Test
    void underPressureLessUrgentExecutionsAreNeitherClaimedNorWaitedFor() {
        db.execute("UPDATE queues SET weight = 2");
        source.settle(0.8);
        var urgent = rows.live().lane(2).insert();
        rows.live().lane(3).insert();
        var poller = poller(10);

        assertThat(await(poller.runOnce())).isPositive();

        assertThat(begun).extracting(lease -> lease.claim().executionId()).containsExactly(urgent);
        source.settle(0);
        var _ = await(poller.runOnce());
        assertThat(begun).hasSize(2);
    }
}
