package io.taskexec.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.taskexec.worker.pressure.TestPressure;
import jakarta.inject.Inject;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class FlowSweepTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final QueueStore queues = new QueueStore(db.database());
    private final QueueRotation rotation =
            new QueueRotation(queues, db.region("default"), TestPressure.none(), new PauseGate(queues));
    private final FlowSweep sweep = new FlowSweep(new FlowReleases(db.database(), new DueSignal()), rotation);

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
        rows.flowPolicy(ENDPOINT, "max_concurrency", "1");
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
    }

    /** Makes an execution whose key is to be released now. */
    private static void park() {
        var _ = rows.live().parked("a").insert();
        db.execute("UPDATE flow_limits SET lined = true, release_at = now()");
    }

    private static long parked() {
        return db.number("SELECT count(*) FROM exec_live WHERE flow_state = 1");
    }

    /** Pull workers may run what is released. */
    @Test
    void aWorkerThatReadsNoQueuesSinceItHasNoRoomReleasesWhatWaits() {
        park();

        var _ = await(sweep.runOnce());

        assertThat(parked()).isZero();
    }

    @Test
    void aWorkerThatHasReadOfNoKeysLeavesThemAlone() {
        var _ = await(rotation.next());
        park();

        var _ = await(sweep.runOnce());

        assertThat(parked()).isEqualTo(1);
    }
}
