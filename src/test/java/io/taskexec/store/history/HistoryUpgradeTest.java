package io.taskexec.store.history;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.history.HistoryDays.Outcome;
import io.taskexec.store.migration.Migrations;
import io.taskexec.store.sql.Database;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database with history of the time when that was not partitioned. */
@NeedsOwnServer("Only PostgreSQL has partitions.")
@SuppressWarnings("TimeInStaticInitializer") // All of its tests are about one day.
class HistoryUpgradeTest {
    private static final int ROWS = 2_000;
    private static final LocalDate TODAY = LocalDate.now(ZoneOffset.UTC);
    private static final Partition BEFORE = new Partition(false, TODAY.plusDays(8));

    private TestDb db;
    private HistoryDays days;

    @BeforeEach
    void open() {
        db = TestDb.fresh();
        days = new HistoryDays(new Database(db.pool(), TestDb.PATIENCE));
        db.execute("DROP SCHEMA public CASCADE");
        db.execute("DROP SCHEMA taskexec_api CASCADE");
        db.execute("CREATE SCHEMA public");
        migrate("25");
        db.execute("""
                INSERT INTO executions
                  (execution_id, job_id, lane, status, attempt_count, run_at, completed_at, created_at)
                SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - i * 3600000::bigint), 12, '0')
                    || '70008000000000000000')::uuid,
                  gen_random_uuid(), 4, 'FAILED', 1, now(), now() - i * interval '1 hour', now()
                FROM generate_series(0, $1 - 1) AS i
                """, ROWS);
        db.execute("""
                INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)
                SELECT execution_id, 1, 'FAILED', completed_at, completed_at FROM executions
                """);
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void migrate(String version) {
        Flyway.configure()
                .dataSource(Jdbc.source(db))
                .locations("classpath:db/migration/common", "classpath:db/migration/postgresql")
                .configuration(Migrations.SETTINGS)
                .target(version)
                .load()
                .migrate();
    }

    private long file(String table) {
        return db.number("SELECT pg_relation_filenode('" + table + "'::regclass)::bigint");
    }

    @Test
    void itsRowsStayWhereTheyAreAndDaysFollow() {
        var executions = file("executions");
        var attempts = file("attempts");

        migrate("28");

        assertThat(file("executions_" + BEFORE.suffix())).as("not copied").isEqualTo(executions);
        assertThat(file("attempts_" + BEFORE.suffix())).isEqualTo(attempts);
        for (var table : new String[] {"executions", "attempts"}) {
            assertThat(db.number("SELECT count(*) FROM " + table)).as(table).isEqualTo(ROWS);
            assertThat(db.number("SELECT count(*) FROM " + table + "_default")).isZero();
        }
        var there = await(days.partitions());
        assertThat(there.dated()).containsExactly(BEFORE);
        assertThat(there.have(TODAY.plusDays(7))).isTrue();
        assertThat(there.have(TODAY.plusDays(8))).isFalse();
        assertThat(await(days.make(TODAY.plusDays(7)))).as("it is elsewhere").isFalse();
        assertThat(await(days.make(TODAY.plusDays(8)))).isTrue();
    }

    @Test
    void rightsOfItsTablesAreThoseOfTheNewOnes() {
        var grant = "CREATE ROLE " + role() + "; GRANT SELECT, DELETE ON executions TO " + role();
        db.execute("DO $$ BEGIN " + grant + "; END $$");
        try {
            migrate("28");

            assertThat(db.row(
                                    "SELECT has_table_privilege($1, 'executions', 'SELECT, DELETE')"
                                            + " AND NOT has_table_privilege($1, 'executions', 'INSERT')"
                                            + " AND has_function_privilege($1, 'history_make_day(date)', 'EXECUTE')"
                                            + " AND NOT has_table_privilege($1, 'attempts', 'SELECT')",
                                    role())
                            .getBoolean(0))
                    .isTrue();
        } finally {
            db.execute("DROP OWNED BY " + role());
            db.execute("DROP ROLE " + role());
        }
    }

    private String role() {
        return db.server().getDatabase() + "_reader";
    }

    @Test
    void whatWasThereBeforeIsDroppedWhenBatchesHaveLeftLittle() {
        migrate("28");
        var after = BEFORE.end().plus(Duration.ofDays(30));

        assertThat(await(days.drop(BEFORE, after)).outcome()).isEqualTo(Outcome.KEPT);

        db.execute("DELETE FROM executions WHERE completed_at < now() - interval '50 hours 30 minutes'");
        assertThat(await(days.drop(BEFORE, after)).outcome()).isEqualTo(Outcome.DROPPED);
        assertThat(db.number("SELECT count(*) FROM executions_default")).isEqualTo(51);
        assertThat(db.number("SELECT count(*) FROM attempts")).isEqualTo(51);
    }
}
