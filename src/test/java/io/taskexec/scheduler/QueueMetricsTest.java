package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.store.activity.ActivityCounts;
import io.taskexec.store.execution.QueueDepthStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@StoreTest
class QueueMetricsTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @Test
    void whatIsDueInAPausedQueueIsPausedAndNotReady() {
        rows.endpoint(ENDPOINT).insert();
        rows.live().insert();
        assertStates(1, 0);

        db.execute("UPDATE queues SET paused_at = now() - interval '1 minute'");

        assertStates(0, 1);
    }

    /** With a watch of its own, which has no older answer. */
    private static void assertStates(int ready, int paused) {
        var registry = new SimpleMeterRegistry();
        var watch = new QueueWatch(new QueueDepthStore(db.database()));

        assertThat(await(new QueueMetrics(watch, new ActivityCounts(), registry).runOnce()))
                .isPositive();

        assertThat(depth(registry, "ready")).isEqualTo(ready);
        assertThat(depth(registry, "paused")).isEqualTo(paused);
    }

    private static double depth(SimpleMeterRegistry registry, String state) {
        return registry.get("taskexec.queue.depth")
                .tag("queue", "default")
                .tag("state", state)
                .gauge()
                .value();
    }
}
