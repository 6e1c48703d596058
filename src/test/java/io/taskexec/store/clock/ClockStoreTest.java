package io.taskexec.store.clock;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The virtual clock of the database. */
@StoreTest
class ClockStoreTest {
    private static final String INSERT = """
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, lease_token, worker_id,
              started_at)
            VALUES ($1::uuid, $1::uuid, 1, now() + interval '1 minute', now(), now(), $2::bigint, $1::uuid, now())
            """;

    @Inject
    private static TestDb db;

    private static Pool pool;
    private static Database database;
    private static ClockStore clock;

    @BeforeAll
    static void prepare() {
        pool = new Pool(PgBuilder.pool()
                .with(new PoolOptions().setMaxSize(2))
                .connectingTo(db.server()
                        .addProperty("search_path", ClockStore.SEARCH_PATH)
                        .addProperty("enable_seqscan", "off")
                        .addProperty("enable_bitmapscan", "off"))
                .using(TestDb.vertx())
                .build());
        database = new Database(pool, TestDb.PATIENCE);
        clock = new ClockStore(database);
        assertThat(await(clock.ahead())).isZero();
        await(clock.prepare());
    }

    @AfterAll
    static void close() {
        pool.closeAndAwait();
    }

    private static Row row(String sql, Object... parameters) {
        return await(database.run(sql, Tuple.from(parameters))).iterator().next();
    }

    private static Instant now() {
        return row("SELECT now() AS at").get(OffsetDateTime.class, "at").toInstant();
    }

    private static Instant visibleAt(UUID execution) {
        return row("SELECT visible_at AS at FROM exec_live WHERE execution_id = $1::uuid", execution)
                .get(OffsetDateTime.class, "at")
                .toInstant();
    }

    @Test
    @NeedsOwnServer("The functions are only for PostgreSQL.")
    void functionsForApplicationsFollowTheClock() {
        new Rows(db).endpoint("timed").insert();
        db.execute("INSERT INTO region_status (region, number, events, idempotency_key_ttl_ms)"
                + " VALUES ('default', 0, false, 1)");
        var _ = await(clock.moveTo(now().plus(Duration.ofDays(3))));

        var _ = db.row("SELECT taskexec_api.create_job('timed', 'k')");

        assertThat(visibleAt(row("SELECT execution_id AS id FROM exec_live WHERE lane = 4")
                        .getUUID("id")))
                .isCloseTo(now(), within(1, ChronoUnit.MINUTES));
    }

    @Test
    void statementsFollowTheClockAndTheSystemsStaysWhereItIs() {
        var before = now();

        var ahead = await(clock.moveTo(before.plus(Duration.ofDays(40))));

        assertThat(now()).isBetween(before.plus(Duration.ofDays(40)), before.plus(Duration.ofDays(41)));
        var row = row("""
                SELECT now() > pg_catalog.now() + interval '39 days' AS now_moved,
                  clock_timestamp() > pg_catalog.now() + interval '39 days' AS clock_moved""");
        assertThat(row.getBoolean("now_moved")).isTrue();
        assertThat(row.getBoolean("clock_moved")).isTrue();
        // A time that is past changes nothing, and neither does making it again.
        assertThat(await(clock.moveTo(before))).isEqualTo(ahead);
        assertThat(await(clock.prepare())).isEqualTo(ahead);
        var _ = row(
                "INSERT INTO event_outbox (execution_id, job_id, kind, attempt) VALUES ($1::uuid, $1::uuid,"
                        + " 'STARTED', 1) RETURNING at",
                UUID.randomUUID());
        assertThat(row("SELECT max(at) AS at FROM event_outbox")
                        .get(OffsetDateTime.class, "at")
                        .toInstant())
                .isAfter(before.plus(Duration.ofDays(39)));
    }

    @Test
    void leasesMoveWithTheClockAndWhatWaitsBecomesDue() {
        var leased = UUID.randomUUID();
        var waiting = UUID.randomUUID();
        var _ = await(database.run(INSERT, Tuple.of(leased, 7L)));
        var _ = await(database.run(INSERT, Tuple.of(waiting, null)));
        var end = visibleAt(leased);
        var due = visibleAt(waiting);

        var _ = await(clock.moveTo(now().plus(Duration.ofDays(1))));

        assertThat(visibleAt(leased)).isAfter(end.plus(Duration.ofHours(23)));
        assertThat(visibleAt(waiting)).isEqualTo(due);
    }

    @Test
    @NeedsOwnServer("The function of the trigger has a search path on PostgreSQL alone.")
    void entriesOfTheAuditLogBecomeOldByTheClock() {
        var id = UUID.randomUUID();
        var _ = await(database.run(
                "INSERT INTO audit_log VALUES ($1::uuid, now(), 'ci', 'update', 'config', 'a', 'req_1', '::1', NULL)",
                Tuple.of(id)));
        var removal = "DELETE FROM audit_log WHERE audit_id = $1::uuid";
        assertThatThrownBy(() -> await(database.run(removal, Tuple.of(id)))).hasMessageContaining("audit log");

        var _ = await(clock.moveTo(now().plus(Duration.ofDays(31))));

        assertThat(await(database.run(removal, Tuple.of(id))).rowCount()).isEqualTo(1);
    }

    @Test
    void theIndexOfTheClaimIsSearchedForTheTime() {
        var plan = await(database.run(
                "EXPLAIN SELECT execution_id FROM exec_live WHERE lane = 1 AND visible_at <= now()", Tuple.tuple()));

        assertThat(Columns.list(plan, row -> row.getString(0)).toString())
                .contains("exec_live_pick", "Index Cond: ((lane = 1) AND (visible_at <= now()))");
    }
}
