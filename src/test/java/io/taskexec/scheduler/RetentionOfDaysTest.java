package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.ProgramClock;
import io.taskexec.store.history.HistoryDays;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.RecordedLog;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Old days of history go as a whole, and new ones are made ahead. */
@StoreTest
@NeedsOwnServer("Only PostgreSQL has partitions.")
class RetentionOfDaysTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final HistoryDays days = new HistoryDays(db.database());

    @BeforeAll
    static void register() {
        rows.endpoint(ENDPOINT).insert();
    }

    private static Duration run(int days) {
        return await(TestRetention.of(db, days).runOnce());
    }

    private static boolean remembered(UUID id) {
        return db.number("SELECT count(*) FROM executions WHERE execution_id = $1", id) == 1;
    }

    @Test
    void anOldDayGoesAsAWholeAndWhatBelongsToItInBatches() {
        var day = LocalDate.now(ZoneOffset.UTC).minusDays(33);
        assertThat(await(days.make(day))).isTrue();
        var noon = Duration.between(day.atTime(12, 0).toInstant(ZoneOffset.UTC), Instant.now());
        var old = rows.finished()
                .createdAgo(noon)
                .endedAgo(noon.minusSeconds(1))
                .key("old")
                .insert();
        var late = rows.finished()
                .createdAgo(noon)
                .endedAgo(Duration.ofDays(2))
                .key("late")
                .insert();
        var live = rows.live().id(Rows.idFrom(noon)).key("live").insert();
        db.execute("UPDATE jobs SET tags = '{a}'");
        db.execute("INSERT INTO job_tags SELECT 'a', job_id FROM jobs");
        db.execute("INSERT INTO replays SELECT job_id, job_id, now() FROM jobs");
        // As of a replay, or of a tick, whose job is another one.
        db.execute("INSERT INTO replays VALUES ($1, $1, now())", Rows.idFrom(noon));
        var retention = TestRetention.of(db, 30);

        assertThat(await(retention.runOnce())).as("after the drop").isLessThan(Duration.ofMinutes(1));
        assertThat(await(days.partitions()).have(day)).isFalse();
        assertThat(remembered(old)).isFalse();
        assertThat(await(retention.runOnce())).isEqualTo(Duration.ofMinutes(1));

        for (var table : new String[] {"jobs", "job_tags", "replays", "idempotency_keys"}) {
            assertThat(
                            db
                                    .rows("SELECT " + (table.equals("replays") ? "execution_id" : "job_id") + " FROM "
                                            + table)
                                    .stream()
                                    .map(row -> row.getUUID(0)))
                    .as(table)
                    .containsExactlyInAnyOrder(late, live);
        }
        assertThat(remembered(late)).isTrue();
        assertThat(await(retention.runOnce())).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aDayOfWhichMuchMustStayWaitsForTwoDaysMoreAndThenGoesInBatches() {
        var day = LocalDate.now(ZoneOffset.UTC).minusDays(60);
        assertThat(await(days.make(day))).isTrue();
        var noon = Duration.between(day.atTime(12, 0).toInstant(ZoneOffset.UTC), Instant.now());
        var old =
                rows.finished().createdAgo(noon).endedAgo(noon.minusSeconds(1)).insert();
        db.execute("""
                INSERT INTO executions
                  (execution_id, job_id, lane, status, attempt_count, run_at, completed_at, created_at)
                SELECT (left($1::uuid::text, 24) || lpad(to_hex(i), 12, '0'))::uuid, $1::uuid, 4, 'FAILED', 1, now(),
                  now(), now()
                FROM generate_series(1, 1001) AS i
                """, old);

        assertThat(run(58)).isEqualTo(Duration.ofMinutes(1));
        assertThat(remembered(old)).isTrue();

        var later = TestRetention.of(db, 56);
        while (await(later.runOnce()).compareTo(Duration.ofMinutes(1)) < 0) {
            assertThat(await(days.partitions()).have(day)).isTrue();
        }
        assertThat(remembered(old)).isFalse();
        assertThat(db.number("SELECT count(*) FROM executions")).isEqualTo(1_001);
        db.execute("DELETE FROM executions");
        assertThat(await(later.runOnce())).isLessThan(Duration.ofMinutes(1));
        assertThat(await(days.partitions()).have(day)).isFalse();
    }

    @Test
    void aDayThatSomethingElseDependsOnKeepsNoOtherFromGoing() {
        var kept = LocalDate.now(ZoneOffset.UTC).minusDays(71);
        var free = kept.plusDays(1);
        assertThat(await(days.make(kept))).isTrue();
        assertThat(await(days.make(free))).isTrue();
        var view = "kept_view";
        db.execute("CREATE VIEW " + view + " AS SELECT * FROM executions_"
                + DateTimeFormatter.BASIC_ISO_DATE.format(kept));
        try {
            var _ = run(30);

            assertThat(await(days.partitions()).have(kept)).isTrue();
            assertThat(await(days.partitions()).have(free)).isFalse();
        } finally {
            db.execute("DROP VIEW " + view);
        }
        assertThat(run(30)).isLessThan(Duration.ofMinutes(1));
        assertThat(await(days.partitions()).have(kept)).isFalse();
    }

    @Test
    void aDayThatOthersAreInTheWayOfGoesInTheNextRoundForWhichTheVirtualClockWaits() {
        var day = LocalDate.now(ZoneOffset.UTC).minusDays(34);
        assertThat(await(days.make(day))).isTrue();
        var retention = TestRetention.of(db, 30);
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("SELECT pg_advisory_xact_lock('executions'::regclass::bigint)");
            assertThat(await(retention.runOnce())).isEqualTo(Duration.ofMinutes(1));
            ProgramClock.setAhead(Duration.ofMillis(1));

            assertThat(await(retention.runOnce())).isZero();
        } finally {
            ProgramClock.setAhead(Duration.ZERO);
        }
        assertThat(await(retention.runOnce())).isLessThan(Duration.ofMinutes(1));
        assertThat(await(days.partitions()).have(day)).isFalse();
        assertThat(await(retention.runOnce())).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void daysGoAlsoWhereEntriesOfTheAuditLogCannotBeRemoved() {
        var day = LocalDate.now(ZoneOffset.UTC).minusDays(38);
        assertThat(await(days.make(day))).isTrue();
        assertThat(await(days.make(day.plusDays(1)))).isTrue();
        var retention = TestRetention.of(db, 30);
        db.execute("ALTER TABLE audit_log RENAME TO away_log");
        try {
            assertThat(await(retention.runOnce())).isLessThan(Duration.ofMinutes(1));
            assertThat(await(retention.runOnce())).isLessThan(Duration.ofMinutes(1));
            // With the end of the round it fails, so that it is seen.
            assertThatThrownBy(() -> await(retention.runOnce())).hasMessageContaining("audit_log");
        } finally {
            db.execute("ALTER TABLE away_log RENAME TO audit_log");
        }
        assertThat(await(days.partitions()).have(day)).isFalse();
        assertThat(await(days.partitions()).have(day.plusDays(1))).isFalse();
    }

    @Test
    void aDayThatIsNotOverForSoLongIsNotTouched() {
        var day = LocalDate.ofInstant(Instant.now().minus(Duration.ofDays(30)), ZoneOffset.UTC);
        assertThat(await(days.make(day))).isTrue();
        var endedAgo = Duration.between(day.atStartOfDay().toInstant(ZoneOffset.UTC), Instant.now());
        var id = rows.finished().createdAgo(endedAgo).endedAgo(endedAgo).insert();

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        assertThat(remembered(id)).as("until its day is over").isTrue();
        assertThat(await(days.partitions()).have(day)).isTrue();
        db.execute("DELETE FROM executions");
    }

    @Test
    void theLogWarnsOnceADayWhereReadsOfAllDaysNeedMoreLocksThanThereAre() {
        try (var log = RecordedLog.of(DaysAhead.class)) {
            assertThat(await(new DaysAhead(days, 1).runOnce())).isEqualTo(Duration.ofHours(1));
            assertThat(log.messages()).isEmpty();

            var warning = new DaysAhead(days, 1_000_000);
            await(warning.runOnce());
            await(warning.runOnce());
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .startsWith("a read of all ")
                    .endsWith("raise max_locks_per_transaction");
        }
    }

    @Test
    void daysAreMadeBeforeTheyBegin() {
        var ahead = new DaysAhead(days);
        for (var table : new String[] {"executions", "attempts", "execution_logs"}) {
            db
                    .rows(
                            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = $1::text::regclass",
                            table)
                    .stream()
                    .map(row -> row.getString(0))
                    .filter(name -> !name.endsWith("default"))
                    .forEach(name -> db.execute("DROP TABLE " + name));
        }

        assertThat(await(ahead.runOnce())).isEqualTo(Duration.ofHours(1));
        assertThat(await(ahead.runOnce())).isEqualTo(Duration.ofHours(1));

        var today = LocalDate.now(ZoneOffset.UTC);
        var there = await(days.partitions());
        assertThat(there.have(today)).as("it has begun").isFalse();
        assertThat(there.have(today.plusDays(2))).isTrue();
        assertThat(there.have(today.plusDays(7))).isTrue();
        assertThat(there.dated()).hasSizeBetween(6, 7);
    }
}
