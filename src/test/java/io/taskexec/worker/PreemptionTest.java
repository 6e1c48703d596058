package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.pressure.TestPressure;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which running executions give up their slots, and for what. */
@StoreTest
class PreemptionTest {
    private static final Duration DUE = Duration.ofSeconds(1);
    private static final int NORMAL = 4;
    private static final TestConfig CONFIG = new TestConfig(3, 5_000, Duration.ofMinutes(1), 30);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static LeaseStore leases;

    private final FullWorker first = new FullWorker();

    /** A worker whose calls never end by themselves. */
    private static final class FullWorker implements Slots.Runner {
        private final RunningLeases running = new RunningLeases();
        private final Slots slots = new Slots(CONFIG.maxConcurrent(), Slots.MOST_WAITING, running, this);
        private final Map<UUID, Lease> begun = new LinkedHashMap<>();
        private final List<UUID> preempted = new ArrayList<>();
        private boolean preemptible = true;

        @Override
        public void run(Lease lease, Runnable ended, Consumer<Boolean> finished) {
            var id = lease.claim().executionId();
            begun.put(id, lease);
            if (preemptible) {
                lease.mayYield();
            }
            var _ = lease.orCancelled(() -> Uni.createFrom().nothing())
                    .subscribe()
                    .with(outcome -> {
                        assertThat(outcome).isEqualTo(new Outcome.Interrupted(true));
                        preempted.add(id);
                        ended.run();
                        finished.accept(true);
                    });
        }

        /** Each look is that of a new poller, since one does not look twice within a moment. */
        Uni<Duration> look() {
            var queues = new QueueStore(db.database());
            var turns = new QueueRotation(queues, db.region("default"), TestPressure.none(), new PauseGate(queues));
            return WorkerBed.poller(db, turns, slots, running, CONFIG, new WorkerIdentity(), new DueSignal())
                    .runOnce();
        }

        /** Takes as many as there are slots, in this order. */
        List<UUID> fill(int lane) {
            var ids = IntStream.range(0, CONFIG.maxConcurrent())
                    .mapToObj(_ -> {
                        var id = rows.live().lane(lane).insert();
                        var _ = await(look());
                        return id;
                    })
                    .toList();
            assertThat(begun).containsOnlyKeys(ids);
            return ids;
        }
    }

    @BeforeAll
    static void open() {
        leases = Stores.leases(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void onlyTheDefaultQueue() {
        db.execute("DELETE FROM queues WHERE queue_id > 0");
    }

    private static UUID urgent(int lane) {
        return rows.live().lane(lane).dueSince(DUE).insert();
    }

    @Test
    void theOneThatBeganLastGivesUpItsSlot() {
        var ids = first.fill(NORMAL);
        var urgent = urgent(0);

        var delay = await(first.look());

        assertThat(first.preempted).containsExactly(ids.getLast());
        assertThat(first.begun).containsKey(urgent);
        assertThat(delay).isLessThanOrEqualTo(Preemption.BETWEEN_LOOKS);
        assertThat(first.slots.room())
                .as("a slot that is given up is no reason to claim more")
                .isZero();
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NULL"))
                .isZero();
    }

    @Test
    void eachThatWaitsGetsOneSlotAndNotMoreThanThereAre() {
        var ids = first.fill(NORMAL);
        var _ = urgent(0);
        var _ = urgent(0);
        var _ = await(first.look());
        assertThat(first.preempted).containsExactlyInAnyOrder(ids.get(1), ids.get(2));

        for (var i = 0; i < 5; i++) {
            var _ = urgent(0);
        }
        var _ = await(first.look());
        assertThat(first.preempted).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(first.begun).hasSize(6);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NULL"))
                .isEqualTo(4);
    }

    @Test
    void itWorksForUrgentTicksAndOtherQueuesToo() {
        db.execute("INSERT INTO queues (queue_id, name) VALUES (1, 'other')");
        var _ = first.fill(NORMAL);
        var tick = urgent(8 * 8);
        var other = urgent(128);

        var _ = await(first.look());

        assertThat(first.preempted).hasSize(2);
        assertThat(first.begun).containsKeys(tick, other);
    }

    @Test
    void nothingIsPreemptedForWhatIsLessUrgentOrNotDue() {
        var _ = first.fill(NORMAL);
        var _ = urgent(1);
        rows.live().lane(0).dueIn(Duration.ofMinutes(1)).insert();

        var _ = await(first.look());
        assertThat(first.preempted).isEmpty();
        assertThat(first.begun).hasSize(3);
    }

    @Test
    void whatHasJustBecomeDueIsLeftToProcessesWithAFreeSlot() throws InterruptedException {
        var _ = first.fill(NORMAL);
        var urgent = rows.live().lane(0).dueSince(Duration.ZERO).insert();

        Eventually.await("it is claimed", Duration.ofSeconds(10), () -> {
            var _ = await(first.look());
            return first.begun.containsKey(urgent);
        });

        assertThat(db.number(
                        "SELECT (extract(epoch FROM started_at - run_at) * 1000)::bigint FROM exec_live"
                                + " WHERE execution_id = $1",
                        urgent))
                .isGreaterThanOrEqualTo(200);
    }

    @Test
    void nothingIsPreemptedForAQueueWithLimits() {
        var _ = first.fill(NORMAL);
        db.execute("INSERT INTO queues (queue_id, name, max_concurrency) VALUES (1, 'limited', 10)");
        var _ = urgent(128);

        var _ = await(first.look());

        assertThat(first.preempted).isEmpty();
        assertThat(first.begun).hasSize(3);
    }

    @Test
    void withAFreeSlotNothingIsPreempted() {
        rows.live().lane(NORMAL).insert();
        var _ = await(first.look());
        var urgent = urgent(0);

        var _ = await(first.look());

        assertThat(first.preempted).isEmpty();
        assertThat(first.begun).hasSize(2).containsKey(urgent);
    }

    @Test
    void whatIsNotPreemptibleKeepsItsSlot() {
        first.preemptible = false;
        var _ = first.fill(NORMAL);
        var _ = urgent(0);

        assertThat(await(first.look())).isEqualTo(CONFIG.pollInterval());
        assertThat(first.preempted).isEmpty();
        assertThat(first.begun).hasSize(3);
    }

    @Test
    void whatHasTheHighestPriorityItselfKeepsItsSlot() {
        var _ = first.fill(0);
        var _ = urgent(0);

        var _ = await(first.look());
        assertThat(first.preempted).isEmpty();
        assertThat(first.begun).hasSize(3);
    }

    @Test
    void whatWasInterruptedThreeTimesRunsToItsEnd() {
        rows.live().attempt(3).insert();
        rows.live().attempt(5).failures(2).insert();
        var failed = rows.live().attempt(3).failures(3).insert();
        var _ = await(first.look());
        assertThat(first.begun).hasSize(3);
        var _ = urgent(0);
        var _ = urgent(0);

        var _ = await(first.look());

        assertThat(first.preempted).containsExactly(failed);
    }

    @Test
    void ofSeveralFullProcessesTogetherOnlyOneSlotIsGivenUpForOneExecution() {
        var others = IntStream.range(0, 4).mapToObj(_ -> new FullWorker()).toList();
        others.forEach(process -> {
            var _ = process.fill(NORMAL);
        });
        var urgent = urgent(0);

        var _ = await(
                Uni.join().all(others.stream().map(FullWorker::look).toList()).andFailFast());

        assertThat(others.stream().mapToInt(process -> process.preempted.size()).sum())
                .isEqualTo(1);
        assertThat(others)
                .filteredOn(process -> process.begun.containsKey(urgent))
                .hasSize(1);
    }

    @Test
    void overdueWorkIsCountedUpToALimitAndPrioritiesAreToldOfKeyedLanesToo() {
        var overdue = await(leases.overdue(new Integer[] {0, 64}, Duration.ZERO, 5, List.of()));
        assertThat(overdue.count()).isZero();

        var normal = rows.live().lane(NORMAL).insert();
        var keyed = rows.live().lane(NORMAL - (1 << 30)).insert();
        var high = rows.live().lane(-(1 << 30)).insert();
        for (var i = 0; i < 7; i++) {
            var _ = urgent(0);
        }
        var found = await(leases.overdue(new Integer[] {0, 64}, Duration.ZERO, 5, List.of(normal, keyed, high)));
        assertThat(found.count()).isEqualTo(5);
        assertThat(found.lessUrgent()).containsExactlyInAnyOrder(normal, keyed);
        assertThat(await(leases.overdue(new Integer[] {0}, Duration.ofMinutes(1), 5, List.of()))
                        .count())
                .isZero();
    }
}
