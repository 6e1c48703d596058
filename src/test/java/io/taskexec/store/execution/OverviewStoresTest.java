package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.taskexec.model.Uuid7;
import io.taskexec.model.activity.EndpointActivity;
import io.taskexec.model.activity.Latencies;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.worker.WorkerList;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Reads workers, and the rate of creations, as an overview does. */
@StoreTest
class OverviewStoresTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    @Test
    void thereIsAFleetWithoutWorkers() {
        assertThat(await(new WorkerList(db.database()).read())).isEqualTo(new WorkerList.Fleet(List.of(), 0, 0, 0));
    }

    @Test
    void workersAreReadWithWhatTheyTellTheBusiestFirst() {
        var latencies = new Latencies(new TreeMap<>(Map.of(31, 5L, 40, 1L)));
        var activity = new WorkerActivity(20, 7, 600, 7, List.of(new EndpointActivity("mail", 7, 6, 2, latencies)));
        var store = new WorkerStore(db.database(), new DueSignal());
        var idle = UUID.randomUUID();
        var busy = UUID.randomUUID();
        await(store.beat(idle, "pod-a", HomeRegion.DEFAULT, new WorkerActivity(10, 0, 0, 7, List.of()), Map.of()));
        await(store.beat(busy, "pod-b", HomeRegion.DEFAULT, new WorkerActivity(1, 1, 1, 7, List.of()), Map.of()));
        await(store.beat(busy, "pod-b", HomeRegion.DEFAULT, activity, Map.of("cpu", 0.25)));
        var old = rows.worker(Duration.ofMinutes(2));

        var fleet = await(new WorkerList(db.database()).read());

        assertThat(fleet.total()).isEqualTo(3);
        assertThat(fleet.slots()).isEqualTo(30);
        assertThat(fleet.usedSlots()).isEqualTo(7);
        var first = fleet.members().getFirst();
        assertThat(first.id()).isEqualTo(busy);
        assertThat(first.host()).isEqualTo("pod-b");
        assertThat(first.activity()).isEqualTo(activity);
        assertThat(first.pressure()).isEqualTo(Map.of("cpu", 0.25));
        assertThat(first.isHeardOf()).isTrue();
        assertThat(fleet.members())
                .filteredOn(member -> member.id().equals(old))
                .singleElement()
                .satisfies(member -> {
                    assertThat(member.isHeardOf()).isFalse();
                    assertThat(member.activity()).isNull();
                });
    }

    private static double created() {
        return await(new CreationRate(db.database()).perSecond());
    }

    @Test
    void whatWasCreatedWithinTenSecondsIsCountedWhetherItHasEndedOrNot() {
        assertThat(created()).isZero();
        rows.live().insert();
        rows.live().dueIn(Duration.ofHours(1)).insert();
        rows.finished().id(Uuid7.next()).insert();
        rows.finished().createdAgo(Duration.ofSeconds(30)).insert();

        assertThat(created()).isCloseTo(0.3, offset(0.01));
    }

    @Test
    void ofManyTheRateIsThatOfTheNewest() {
        // 5,000 within the second before now, of which 2,000 are looked at.
        var first = Instant.now().minusSeconds(1);
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT id, id, 4, now(), now(), now() FROM unnest($1::uuid[]) AS g(id)
                """, (Object) IntStream.range(0, 5_000)
                .mapToObj(i -> Uuid7.of(first.toEpochMilli() + i / 5, i % 5, i))
                .toArray(UUID[]::new));

        assertThat(created()).isBetween(100.0, 5_500.0);
        var since = Uuid7.floor(Instant.now().minusSeconds(600));
        assertThat(db.plan("(ANALYZE) " + CreationRate.NEWEST, since, 2_000L))
                .contains("exec_live_pk", "executions_default_pk")
                .doesNotContain("Seq Scan", "rows=5000");
    }
}
