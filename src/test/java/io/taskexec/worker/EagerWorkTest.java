package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.testing.TestJob;
import io.taskexec.worker.pressure.TestPressure;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class EagerWorkTest {
    private static final TestConfig CONFIG = new TestConfig(3, 5_000, Duration.ofMinutes(1), 30);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final RunningLeases running = new RunningLeases();
    private final List<UUID> begun = Collections.synchronizedList(new ArrayList<>());

    /** Stands still unless a test moves it: a look is relied on for a second only. */
    private final AtomicLong now = new AtomicLong();

    private Slots slots;
    private Poller poller;
    private JobCreator creator;

    @BeforeAll
    static void makeEndpoint() {
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void start() {
        var dueSignal = new DueSignal();
        var starts = new EagerStarts();
        var region = db.region("default");
        var queues = new QueueStore(db.database());
        var gate = new PauseGate(queues);
        // After the gate was made: it is told of later looks only.
        now.set(System.nanoTime());
        var turns = new QueueRotation(queues, region, TestPressure.none(), gate, now::get);
        slots = new Slots(
                CONFIG.maxConcurrent(),
                0,
                running,
                (lease, _, _) -> begun.add(lease.claim().executionId()));
        poller = WorkerBed.poller(db, turns, slots, running, CONFIG, new WorkerIdentity(), dueSignal, starts);
        creator = Stores.creator(
                db.database(), new IdempotencyKeyStore(db.database(), () -> 24), dueSignal, region, starts);
        poller.startAtOnce();
    }

    private static NewJob job(int queue) {
        return new TestJob().queue(queue).made();
    }

    private List<UUID> create(int count) {
        var jobs = IntStream.range(0, count).mapToObj(_ -> job(0)).toList();
        var _ = await(
                Uni.join().all(jobs.stream().map(creator::create).toList()).andFailFast());
        return jobs.stream().map(NewJob::id).toList();
    }

    private static long leased() {
        return db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL AND attempt = 1");
    }

    @Test
    void whatIsCreatedAfterALookThatFoundNothingBeginsWithoutAClaim() {
        var _ = await(poller.runOnce());

        var created = create(2);

        assertThat(begun).containsExactlyInAnyOrderElementsOf(created);
        assertThat(running.all()).hasSize(2);
        assertThat(leased()).isEqualTo(2);
        assertThat(await(poller.runOnce())).isPositive();
        assertThat(begun).hasSize(2);
    }

    @Test
    void noMoreBeginThanThereAreSlotsAndTheRestIsClaimed() {
        var _ = await(poller.runOnce());

        var created = create(5);

        assertThat(begun).hasSize(3);
        assertThat(leased()).isEqualTo(3);

        for (var i = 0; i < 3; i++) {
            slots.ended();
        }
        var _ = await(poller.runOnce());
        assertThat(begun).containsExactlyInAnyOrderElementsOf(created);
    }

    @Test
    void aSlotThatIsKeptForWhatIsNotCreatedIsFreeAgain() {
        var _ = await(poller.runOnce());
        var first = job(0);
        var _ = await(creator.create(first));

        for (var i = 0; i < 10; i++) {
            var _ = await(creator.create(first));
        }

        assertThat(slots.isKept()).isFalse();
        assertThat(create(2)).allMatch(begun::contains);
    }

    @Test
    void aPollerThatWaitsForRoomHearsOfASlotThatStaysEmpty() {
        var _ = await(poller.runOnce());
        var first = job(0);
        var _ = await(creator.create(first));
        var woken = new AtomicInteger();
        slots.onRoom(woken::incrementAndGet);
        slots.await(true);

        var _ = await(creator.create(first));

        assertThat(woken).hasValue(1);
    }

    @Test
    void nothingBeginsBeforeALookNorInAQueueThatIsUnknown() {
        var _ = create(1);
        assertThat(begun).isEmpty();

        var _ = await(poller.runOnce());
        assertThat(begun).hasSize(1);

        db.execute("INSERT INTO queues (queue_id, name) VALUES (3, 'new')");
        var _ = await(creator.create(job(3)));
        assertThat(begun).hasSize(1);
    }

    @Test
    void nothingBeginsWithoutAClaimWhenTheLastLookIsOld() {
        var _ = await(poller.runOnce());
        now.addAndGet(Duration.ofSeconds(1).toNanos());

        var created = create(1);
        assertThat(begun).isEmpty();

        var _ = await(poller.runOnce());
        assertThat(begun).containsExactlyElementsOf(created);
    }

    @Test
    void nothingOvertakesWhatAClaimHasLeftBehind() {
        var waiting = IntStream.range(0, 4).mapToObj(_ -> rows.live().insert()).toList();
        var _ = await(poller.runOnce());
        slots.ended();

        var created = create(1);

        assertThat(begun).hasSize(3).doesNotContainAnyElementsOf(created);
        var _ = await(poller.runOnce());
        assertThat(begun).containsExactlyInAnyOrderElementsOf(waiting);
    }

    @Test
    void nothingBeginsAnyMoreInAWorkerThatStops() {
        var _ = await(poller.runOnce());
        poller.stopBeginning();

        var _ = create(1);

        assertThat(begun).isEmpty();
        assertThat(leased()).isZero();
    }
}
