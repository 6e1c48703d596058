package io.taskexec.store.history;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.sql.Database;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("Only PostgreSQL has partitions.")
@StoreTest
@SuppressWarnings("TimeInStaticInitializer") // All of its tests are about the same days.
class MadeDaysTest {
    private static final LocalDate TODAY = LocalDate.now(ZoneOffset.UTC);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static HistoryDays days;

    @BeforeAll
    static void open() {
        days = new HistoryDays(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    private static boolean isThere(LocalDate day) {
        return await(days.partitions()).have(day);
    }

    /** Inserts an execution that has ended, whose id is of noon of this day. */
    private static UUID ahead(LocalDate day) {
        var noon = day.atTime(12, 0).toInstant(ZoneOffset.UTC);
        return rows.finished()
                .id(Rows.idFrom(Duration.between(noon, Instant.now())))
                .attempts(2)
                .insert();
    }

    private static List<String> partitionsOf(UUID id) {
        return db
                .rows(
                        "SELECT tableoid::regclass::text FROM executions WHERE execution_id = $1 UNION ALL"
                                + " SELECT tableoid::regclass::text FROM attempts WHERE execution_id = $1 UNION ALL"
                                + " SELECT tableoid::regclass::text FROM execution_logs WHERE execution_id = $1",
                        id)
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void aNewDatabaseHasTheDaysOfAWeekAhead() {
        for (var day = TODAY; !day.isAfter(TODAY.plusDays(7)); day = day.plusDays(1)) {
            assertThat(isThere(day)).as(day.toString()).isTrue();
        }
        assertThat(isThere(TODAY.plusDays(8))).isFalse();
        assertThat(isThere(TODAY.minusDays(1))).isFalse();
    }

    @Test
    void aDayIsMadeOnce() {
        var day = TODAY.plusDays(21);
        assertThat(await(days.make(day))).isTrue();

        assertThat(await(days.make(day))).isFalse();
    }

    /** Such as of a process whose clock was ahead. */
    @Test
    void rowsOfADayThatAreWithNoDayMoveToItWhenItIsMade() {
        var day = TODAY.plusDays(30);
        var id = ahead(day);
        db.execute("INSERT INTO execution_logs VALUES ($1, $1, 'default', 1, 'INFO', 'm', now())", id);
        var other = ahead(day.plusDays(1));

        assertThat(await(days.make(day))).isTrue();

        var suffix = new Partition(true, day.plusDays(1)).suffix();
        assertThat(partitionsOf(id))
                .containsExactly("executions_" + suffix, "attempts_" + suffix, "execution_logs_" + suffix);
        assertThat(partitionsOf(other)).containsExactly("executions_default", "attempts_default");
    }

    /** They are looked for where they were, or where they are. */
    @Test
    void aDayWhoseRowsAreBeingReadIsMadeLater() {
        var day = TODAY.plusDays(32);
        var id = ahead(day);
        try (var reading = HeldTransaction.on(db)) {
            var _ = reading.run("SELECT 1 FROM executions WHERE execution_id = $1", id);

            assertThat(await(days.make(day))).isFalse();
        }
        assertThat(await(days.make(day))).isTrue();
    }

    @Test
    void aDayOfWhichManyRowsAreWithNoDayIsNotMade() {
        var day = TODAY.plusDays(33);
        var id = ahead(day);
        db.execute("""
                INSERT INTO executions
                  (execution_id, job_id, lane, status, attempt_count, run_at, completed_at, created_at)
                SELECT (left($1::uuid::text, 24) || lpad(to_hex(i), 12, '0'))::uuid, $1::uuid, 4, 'FAILED', 1, now(),
                  now(), now()
                FROM generate_series(1, $2) AS i
                """, id, HistoryDays.MOST_MOVED);

        assertThat(await(days.make(day))).isFalse();
        assertThat(isThere(day)).isFalse();
        assertThat(db.number("SELECT count(*) FROM executions_default")).isEqualTo(HistoryDays.MOST_MOVED + 1);

        db.execute("DELETE FROM executions WHERE execution_id = $1", id);
        assertThat(await(days.make(day))).isTrue();
        assertThat(db.number("SELECT count(*) FROM executions_default")).isZero();
    }

    /** As docs/operations.md says. */
    @Test
    void aLargePartitionIsNotReadWhereAConstraintSaysThatNothingOfTheDayIsInIt() throws IOException {
        var day = TODAY.plusDays(34);
        db.execute("ALTER TABLE attempts_default ADD CONSTRAINT history_days_ahead"
                + " CHECK (execution_id < '%s') NOT VALID".formatted(new Partition(true, day).firstId()));
        try {
            whileLarge(() -> assertThat(await(days.make(day))).isFalse());
            db.execute("ALTER TABLE attempts_default VALIDATE CONSTRAINT history_days_ahead");
            whileLarge(() -> assertThat(await(days.make(day))).isTrue());
        } finally {
            db.execute("ALTER TABLE attempts_default DROP CONSTRAINT history_days_ahead");
        }
    }

    @Test
    void aDayIsNotMadeWhileAnyPartitionIsLargeThatIsReadForItUnderALock() throws IOException {
        var day = TODAY.plusDays(22);

        whileLarge(() -> assertThat(await(days.make(day))).isFalse());

        assertThat(await(days.make(day))).isTrue();
    }

    private static void whileLarge(Runnable look) throws IOException {
        var file = db.row("SELECT current_setting('data_directory') || '/' || pg_relation_filepath('attempts_default')")
                .getString(0);
        try (var pages = FileChannel.open(Path.of(file), StandardOpenOption.WRITE)) {
            var size = pages.size();
            // Zeros are empty pages, and take no room on the disk.
            assertThat(pages.write(ByteBuffer.allocate(1), (513L << 20) - 1)).isOne();
            try {
                look.run();
            } finally {
                var _ = pages.truncate(size);
            }
        }
    }

    @Test
    void aDayThatTakesAllTheTimeOfAStatementIsMadeLater() {
        var day = TODAY.plusDays(23);
        try (var reading = HeldTransaction.on(db)) {
            var _ = reading.run("SELECT 1 FROM attempts");

            var made = await(db.database()
                    .withTransaction(transaction -> transaction
                            .query("SET LOCAL statement_timeout = 20")
                            .execute()
                            .chain(() -> Database.on(
                                    transaction, "SELECT history_make_day($1::date) AS made", Tuple.of(day)))));

            assertThat(made.iterator().next().getBoolean("made")).isFalse();
        }
        assertThat(await(days.make(day))).isTrue();
    }
}
