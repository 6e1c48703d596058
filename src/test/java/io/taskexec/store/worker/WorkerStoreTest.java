package io.taskexec.store.worker;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.UnavailableException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class WorkerStoreTest {
    private static final WorkerActivity IDLE = new WorkerActivity(10, 0, 0, 7, List.of());
    private static final Duration SILENCE = Duration.ofSeconds(15);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static WorkerStore store;

    @BeforeAll
    static void open() {
        store = new WorkerStore(db.database(), new DueSignal());
        rows.endpoint(ENDPOINT).insert();
    }

    @Test
    void aWorkerThatBeatsIsNotSilent() {
        var silent = rows.worker(Duration.ofSeconds(16));
        rows.worker(Duration.ofSeconds(13));
        var late = rows.worker(Duration.ofSeconds(40));
        var fresh = UUID.randomUUID();
        await(store.beat(late, "host", HomeRegion.DEFAULT, IDLE, Map.of()));
        await(store.beat(fresh, "host", HomeRegion.DEFAULT, IDLE, Map.of()));

        assertThat(await(store.silentFor(SILENCE))).containsExactly(silent);
        assertThat(db.number("SELECT count(*) FROM workers")).isEqualTo(4);
        assertThat(db.number("SELECT count(*) FROM workers WHERE started_at < now() - interval '1 hour'"))
                .isEqualTo(3);
    }

    @Test
    void aWorkerThatLeavesIsForgotten() {
        var worker = rows.worker(Duration.ofSeconds(100));
        var other = rows.worker(Duration.ofSeconds(100));

        await(store.leave(worker));
        await(store.leave(worker));

        assertThat(await(store.silentFor(SILENCE))).containsExactly(other);
    }

    @Test
    void aWorkerHeardOfSinceItWasFoundSilentKeepsItsLeases() {
        var returned = rows.worker(Duration.ofSeconds(100));
        rows.live().leased(returned, Duration.ofSeconds(50)).insert();
        await(store.beat(returned, "host", HomeRegion.DEFAULT, IDLE, Map.of()));

        assertThat(await(store.reclaim(List.of(returned), SILENCE))).isZero();

        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at > now()"))
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM workers")).isEqualTo(1);
    }

    @Test
    void theDeadAreForgottenAndTheirRunningWorkIsDueWithTheLeaseStillOnIt() {
        var dead = rows.worker(Duration.ofSeconds(100));
        var living = rows.worker(Duration.ZERO);
        var lost = rows.live().leased(dead, Duration.ofSeconds(50)).insert();
        var expired = rows.live().leased(dead, Duration.ofSeconds(-50)).insert();
        var running = rows.live().leased(living, Duration.ofSeconds(50)).insert();
        var pending = rows.live().dueIn(Duration.ofSeconds(50)).insert();

        assertThat(await(store.reclaim(List.of(dead), SILENCE))).isEqualTo(1);

        var due = db.rows("SELECT execution_id FROM exec_live WHERE visible_at <= now() AND lease_token IS NOT NULL");
        assertThat(due).extracting(row -> row.getUUID(0)).containsExactlyInAnyOrder(lost, expired);
        assertThat(db.rows("SELECT execution_id FROM exec_live WHERE visible_at > now() + interval '40 seconds'"))
                .extracting(row -> row.getUUID(0))
                .containsExactlyInAnyOrder(running, pending);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE visible_at < now() - interval '40 seconds'"))
                .isEqualTo(1);
        assertThat(db.rows("SELECT worker_id FROM workers"))
                .extracting(row -> row.getUUID(0))
                .containsExactly(living);
        assertThat(await(store.reclaim(List.of(dead), SILENCE))).isZero();
    }

    @Test
    void nobodyIsTakenForSilentAsLongAsTheDatabaseMayNotHaveListened() {
        var id = UUID.randomUUID();
        await(new WorkerStore(db.database(), new DueSignal()).beat(id, "host", HomeRegion.DEFAULT, IDLE, Map.of()));
        db.execute("UPDATE workers SET last_seen_at = now() - interval '20 s' WHERE worker_id = $1", id);
        var troubled = new Database(db.pool(), TestDb.PATIENCE);
        assertThatThrownBy(() -> await(troubled.run("DO $$ BEGIN RAISE SQLSTATE '57P03'; END $$", Tuple.tuple())))
                .isInstanceOf(UnavailableException.class);

        assertThat(await(new WorkerStore(troubled, new DueSignal()).silentFor(Duration.ofSeconds(15))))
                .isEmpty();
        assertThat(await(new WorkerStore(db.database(), new DueSignal()).silentFor(Duration.ofSeconds(15))))
                .contains(id);
    }
}
