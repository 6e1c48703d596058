package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.execution.QueueDepthStore.Depth;
import io.taskexec.store.execution.QueueDepthStore.Reach;
import io.taskexec.store.sql.Connections;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class QueueDepthStoreTest {
    private static final int OTHER = 3;
    private static final UUID WORKER = UUID.randomUUID();

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private QueueDepthStore store;

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
        db.execute("INSERT INTO queues (queue_id, name) VALUES ($1, 'other')", OTHER);
    }

    @BeforeEach
    void clear() {
        store = new QueueDepthStore(db.database());
        db.execute("DELETE FROM exec_live");
    }

    private static Depth depth(List<Depth> depths, String queue) {
        return depths.stream()
                .filter(depth -> depth.queue().equals(queue))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anIdleQueueIsThereWithZeros() {
        assertThat(await(store.depths())).containsExactly(Depth.idle("default"), Depth.idle("other"));
    }

    @Test
    void executionsAreCountedByQueueAndStateAcrossTheirLanes() {
        rows.live()
                .lane(Lanes.lane(0, 0, false, 0))
                .dueSince(Duration.ofSeconds(90))
                .insert();
        rows.live()
                .lane(Lanes.lane(0, 3, true, 7))
                .dueSince(Duration.ofSeconds(10))
                .insert();
        rows.live().flow("tenant").insert();
        rows.live().parked("tenant").insert();
        rows.live().dueIn(Duration.ofHours(1)).insert();
        rows.live().dueIn(Duration.ofSeconds(20)).insert();
        rows.live().leased(WORKER, Duration.ofSeconds(50)).insert();
        rows.live().leased(WORKER, Duration.ofSeconds(-5)).insert();
        rows.live()
                .lane(Lanes.lane(OTHER, 7, false, 4))
                .leased(WORKER, Duration.ofSeconds(50))
                .insert();

        var depths = await(store.depths());

        var first = depth(depths, "default");
        assertThat(first.ready())
                .as("a lease that has run out is to be claimed")
                .isEqualTo(4);
        assertThat(first.scheduled()).isEqualTo(2);
        assertThat(first.parked()).isEqualTo(1);
        assertThat(first.running()).isEqualTo(1);
        assertThat(first.oldestAge()).isBetween(90.0, 200.0);
        assertThat(depth(depths, "other")).isEqualTo(new Depth("other", 0, 0, 0, 1, 0, 0));
    }

    @Test
    void aPausedQueueTellsForHowLong() {
        db.execute("UPDATE queues SET paused_at = now() - interval '90 seconds' WHERE name = 'other'");
        try {
            assertThat(depth(await(store.depths()), "other").pausedFor()).isBetween(90.0, 300.0);
            db.execute("UPDATE queues SET paused_until = now() WHERE name = 'other'");
            assertThat(depth(await(store.depths()), "other").pausedFor()).isZero();
        } finally {
            db.execute("UPDATE queues SET paused_at = NULL, paused_until = NULL");
        }
    }

    @Test
    void aQuickLookStopsEarlierAndSaysWhere() {
        fill(30);

        var depths = await(store.quickDepths());

        assertThat(depths.most()).isEqualTo(10_000);
        assertThat(depths.mostRunning()).isEqualTo(1_000);
        assertThat(depth(depths.queues(), "default").scheduled()).isEqualTo(30);
    }

    @Test
    void noMoreThanTheBoundIsCountedOfAQueueAndState() {
        fill(30);

        var bounded = depth(await(store.depths(10)).queues(), "default");

        assertThat(bounded.ready()).isEqualTo(10);
        assertThat(bounded.scheduled()).isEqualTo(10);
        assertThat(depth(await(store.depths()), "default").ready()).isEqualTo(30);
    }

    @Test
    void aTimeThatCannotBeReckonedWithIsAYearAgo() {
        var id = rows.live().insert();
        db.execute("UPDATE exec_live SET visible_at = '-infinity' WHERE execution_id = $1", id);

        assertThat(depth(await(store.depths()), "default").oldestAge()).isEqualTo(365 * 86_400.0);
    }

    @Test
    void aLookThatDoesNotGoBackToEverythingCountsWhatIsNotOlder() {
        fill(3);
        var id = rows.live().insert();
        db.execute("UPDATE exec_live SET visible_at = now() - interval '1 hour' WHERE execution_id = $1", id);

        assertThat(depth(await(store.look(10, 1, null)).queues(), "default").ready())
                .isEqualTo(4);
        var near = depth(await(store.look(10, 1, 1_800_000L)).queues(), "default");
        assertThat(near.ready()).isEqualTo(3);
        assertThat(near.scheduled()).isEqualTo(3);
        assertThat(near.oldestAge()).isLessThan(1_800);
    }

    @Test
    void inThePauseAfterALookAtEverythingTheNextOnesGoBackToTheOldestThatWasReady() {
        var reach = new Reach();
        assertThat(reach.begin(at(0))).isNull();
        assertThat(reach.begin(at(0))).as("before anything is known").isNull();
        reach.looked(null, at(0), at(1));
        reach.found(at(0), 3);

        assertThat(reach.begin(at(15))).isEqualTo(10_000 + 15_000 + 3_000);
        reach.looked(28_000L, at(15), at(16));
        reach.found(at(15), 0);
        assertThat(reach.begin(at(16))).isEqualTo(10_000 + 1_000);

        assertThat(reach.begin(at(200))).isNotNull();
        assertThat(reach.begin(at(201))).isNull();
        assertThat(reach.begin(at(202))).as("while that goes on").isNotNull();
        reach.looked(null, at(201), at(202));
        assertThat(reach.begin(at(203))).as("when that has failed").isNotNull();
    }

    @Test
    void whatIsReadyForTooLongIsFoundByALookAtEverythingAlone() {
        var reach = new Reach();
        reach.looked(null, at(0), at(1));
        reach.found(at(0), 365 * 86_400);

        assertThat(reach.begin(at(2))).isNull();
    }

    private static long at(long second) {
        return TimeUnit.SECONDS.toNanos(second);
    }

    /** So many that are due, and as many that are not. */
    private static void fill(int count) {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT g.id, g.id, 4, now() + (g.i - $1::int) * interval '1 minute', now(), now()
                FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, 2 * $1::int) AS i) AS g
                """, count);
    }

    @Test
    void whatIsCountedIsFoundInTheIndexAndNoFurtherThanTheBound() {
        fill(20_000);
        db.execute("ANALYZE exec_live");

        var plan = db.plan(QueueDepthStore.DEPTHS, 1_000L, 100L, 60_000L);

        assertThat(plan)
                .contains("exec_live_pick")
                .doesNotContain("Seq Scan on exec_live", "Bitmap", "exec_live_pk", "Sort Key: exec_live")
                .containsPattern("Index Cond: \\(\\(lane = ANY \\(queue.lanes\\)\\) AND \\(visible_at >= .*\\)"
                        + " AND \\(visible_at <= now\\(\\)\\)\\)")
                .containsPattern("Index Cond: \\(\\(lane = ANY \\(queue.lanes\\)\\) AND \\(visible_at > now\\(\\)\\)"
                        + " AND \\(visible_at < '(8999|9000)-")
                .containsPattern("Index Cond: \\(\\(lane = ANY \\(queue.lanes\\)\\) AND \\(visible_at = 'infinity'");
        assertThat(QueueDepthStore.DEPTHS).hasSizeLessThan(Connections.LONGEST_PREPARED);
    }
}
