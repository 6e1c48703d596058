package io.taskexec.scheduler;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.model.Uuid7;
import io.taskexec.store.execution.ReplayStore;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.sql.Removal;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class RetentionTest {
    private static final UUID START = new UUID(0, 0);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static RetentionStore store;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeAll
    static void open() {
        store = new RetentionStore(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    private Duration run(int days) {
        return await(retention(days).runOnce());
    }

    private Retention retention(int days) {
        return TestRetention.of(db, days, registry);
    }

    private double ranAt() {
        return registry.get("taskexec.retention.last.run.timestamp").gauge().value();
    }

    private static boolean remembered(UUID id) {
        return db.number("SELECT count(*) FROM executions WHERE execution_id = $1", id) == 1;
    }

    @Test
    void whatEndedLongAgoGoesWithItsAttemptsJobAndKey() {
        var old = rows.finished()
                .attempts(3)
                .key("old")
                .endedAgo(Duration.ofDays(31))
                .insert();
        db.execute("INSERT INTO execution_logs VALUES ($1, $1, 'default', 1, 'INFO', 'm', now())", old);

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        for (var table : new String[] {"executions", "attempts", "jobs", "idempotency_keys", "execution_logs"}) {
            assertThat(db.number("SELECT count(*) FROM " + table)).as(table).isZero();
        }
    }

    @Test
    void whatIsKnownOfADeferralGoesWithItsExecution() {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        var recent = rows.finished().endedAgo(Duration.ofDays(29)).insert();
        var waits = rows.live().insert();
        for (var id : new UUID[] {old, recent, waits}) {
            db.execute(
                    "INSERT INTO deferrals (execution_id, attempt, mode, since, deadline, heard_at)"
                            + " VALUES ($1, 1, 'callback', now(), now(), now())",
                    id);
            db.execute(
                    "INSERT INTO execution_progress (execution_id, attempt, done, reported_at, window_done, window_at,"
                            + " next_done, next_at) VALUES ($1, 1, 1, now(), 1, now(), 1, now())",
                    id);
            db.execute(
                    "INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout)"
                            + " VALUES ($1, 1, 'Go?', 'told', now(), now(), 'fail')",
                    id);
        }

        var _ = run(30);

        for (var table : new String[] {"deferrals", "execution_progress", "approvals"}) {
            assertThat(db.rows("SELECT execution_id FROM " + table).stream().map(row -> row.getUUID(0)))
                    .as(table)
                    .containsExactlyInAnyOrder(recent, waits);
            db.execute("DELETE FROM " + table);
        }
    }

    @Test
    void whatIsRemovedIsCountedInMetrics() {
        var _ = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        var _ = rows.finished().endedAgo(Duration.ofDays(32)).insert();
        var before = System.currentTimeMillis() / 1000.0;

        var _ = run(30);

        assertThat(registry.get("taskexec.retention.removed")
                        .tag("table", "executions")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(ranAt()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void operationsThatEndedLongAgoGoAndWithAnExecutionThatItWasRepeated() {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        db.execute("INSERT INTO replays VALUES ($1, $1, now())", old);
        db.execute("""
                INSERT INTO operations (operation_id, action, selection, status, rate_per_sec, next_at, created_at, \
                ended_at)
                SELECT n.id, 'RETRY', '{}', n.status, 1, now(), now(), n.ended_at
                FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS n(id, status, ended_at)
                """, new Object[] {
            new UUID[] {
                Rows.idFrom(Duration.ofDays(40)), Rows.idFrom(Duration.ofDays(39)), Rows.idFrom(Duration.ofDays(38))
            },
            new String[] {"SUCCEEDED", "CANCELLED", "RUNNING"},
            new OffsetDateTime[] {
                OffsetDateTime.now(ZoneOffset.UTC).minusDays(31),
                OffsetDateTime.now(ZoneOffset.UTC).minusDays(29),
                null
            }
        });

        var _ = run(30);

        assertThat(db.number("SELECT count(*) FROM replays")).isZero();
        assertThat(db.rows("SELECT status FROM operations ORDER BY status").stream()
                        .map(row -> row.getString(0)))
                .containsExactly("CANCELLED", "RUNNING");
    }

    @Test
    void whatEndedRecentlyIsKeptWithAllThatBelongsToIt() {
        var recent = rows.finished()
                .attempts(3)
                .key("recent")
                .endedAgo(Duration.ofDays(29))
                .insert();

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        assertThat(remembered(recent)).isTrue();
        assertThat(db.number("SELECT count(*) FROM attempts")).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM idempotency_keys")).isEqualTo(1);
    }

    @Test
    void aJobThatWasCreatedLongAgoAndEndedRecentlyIsKept() {
        var waited = rows.finished()
                .createdAgo(Duration.ofDays(300))
                .endedAgo(Duration.ofDays(1))
                .insert();

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        assertThat(remembered(waited)).isTrue();
    }

    @Test
    void aJobStaysForAsLongAsAReplayOfItDoes() {
        var old = rows.finished().key("replayed").endedAgo(Duration.ofDays(31)).insert();
        var replay = Uuid7.next();
        assertThat(await(new ReplayStore(db.database(), new DueSignal(), db.region("default")).replay(old, replay)))
                .isTrue();

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));
        assertThat(db.number("SELECT count(*) FROM executions")).isZero();
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(1);

        assertThat(await(Stores.cancelling(db.database(), new CancelSignal()).cancel(replay, false)))
                .isTrue();
        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    @Test
    void whatHasNotEndedIsNeverTouched() {
        for (var ago : new Duration[] {Duration.ofDays(31), Duration.ofDays(400)}) {
            rows.live()
                    .id(Rows.idFrom(ago))
                    .key("live" + ago.toDays())
                    .dueSince(ago)
                    .insert();
        }

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        assertThat(db.number("SELECT count(*) FROM exec_live")).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM jobs")).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM idempotency_keys")).isEqualTo(2);
    }

    @Test
    void aKeyThatWasTakenAgainByALaterJobIsKept() {
        var old = rows.finished().key("again").endedAgo(Duration.ofDays(31)).insert();
        db.execute("DELETE FROM idempotency_keys");
        var later = rows.finished().key("again").endedAgo(Duration.ofDays(1)).insert();

        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        assertThat(remembered(old)).isFalse();
        assertThat(db.row("SELECT job_id FROM idempotency_keys").getUUID(0)).isEqualTo(later);
    }

    @Test
    void aBatchRemovesTheOldestAndNoMoreThanItsLimit() {
        var newer = rows.finished().endedAgo(Duration.ofDays(40)).insert();
        for (var days = 41; days < 44; days++) {
            rows.finished().endedAgo(Duration.ofDays(days)).insert();
        }
        var end = Instant.now().minus(Duration.ofDays(30));

        var first = await(store.deleteEndedBefore(end, START, Uuid7.floor(end), 3));
        assertThat(first.removed()).isEqualTo(3);
        assertThat(remembered(newer)).isTrue();
        assertThat(await(store.deleteEndedBefore(end, Objects.requireNonNull(first.last()), Uuid7.floor(end), 3)))
                .isEqualTo(new Removal(1, 1, newer));
        assertThat(await(store.deleteEndedBefore(end, START, Uuid7.floor(end), 3)))
                .isEqualTo(new Removal(0, 0, null));
    }

    @Test
    void aFullBatchIsFollowedByAnotherSoon() {
        db.execute("""
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, started_at, \
                completed_at,
                  created_at)
                SELECT ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, gen_random_uuid(), 4, 'FAILED', 1,
                       now() - interval '50 days', NULL, now() - interval '50 days', now() - interval '50 days'
                FROM generate_series(1, $1) AS i
                """, RemovalPace.BATCH + 1);

        var retention = retention(30);
        assertThat(ranAt()).isZero();
        var before = System.currentTimeMillis() / 1000.0;
        assertThat(await(retention.runOnce())).isBetween(Duration.ofNanos(1), Duration.ofSeconds(59));
        var began = ranAt();
        assertThat(began)
                .as("due since the first run, though that has not ended")
                .isGreaterThanOrEqualTo(before);
        assertThat(await(retention.runOnce())).isEqualTo(Duration.ofMinutes(1));
        assertThat(ranAt()).isGreaterThan(began);
        assertThat(db.number("SELECT count(*) FROM executions")).isZero();
    }

    @Test
    void whatIsKeptIsLookedAtOnceInARound() {
        for (var i = 0; i < 5; i++) {
            rows.finished()
                    .createdAgo(Duration.ofDays(300 - i))
                    .endedAgo(Duration.ofDays(1))
                    .insert();
        }
        var old = rows.finished().endedAgo(Duration.ofDays(40)).insert();
        var end = Instant.now().minus(Duration.ofDays(30));

        var kept = await(store.deleteEndedBefore(end, START, Uuid7.floor(end), 5));
        assertThat(kept.seen()).isEqualTo(5);
        assertThat(kept.removed()).isZero();
        assertThat(await(store.deleteEndedBefore(end, Objects.requireNonNull(kept.last()), Uuid7.floor(end), 5)))
                .isEqualTo(new Removal(1, 1, old));
    }

    @Test
    void theCountsOfAReplayedJobGoWithIt() {
        var old = rows.finished().endedAgo(Duration.ofDays(31)).insert();
        db.execute("INSERT INTO job_stats VALUES ($1, now(), 'SUCCESS', 1, 1, 1)", old);

        var _ = run(30);

        assertThat(db.number("SELECT count(*) FROM job_stats")).isZero();
    }

    @Test
    void withZeroDaysNothingIsEverRemoved() {
        var ancient = rows.finished().endedAgo(Duration.ofDays(3000)).insert();

        assertThat(run(0)).isEqualTo(Duration.ofMinutes(1));

        assertThat(remembered(ancient)).isTrue();
        assertThat(ranAt()).isZero();
    }

    @Test
    void entriesOfTheAuditLogGoWhenTheyAreOld() {
        db.execute("TRUNCATE audit_log");
        for (var days : new int[] {31, 29}) {
            var time = Instant.now().minus(Duration.ofDays(days));
            db.execute(
                    "INSERT INTO audit_log VALUES ($1, $2, 'ci', 'update', 'config', 'a', 'req_1', '::1', NULL)",
                    Uuid7.floor(time),
                    time.atOffset(ZoneOffset.UTC));
        }

        var _ = run(0);
        assertThat(db.number("SELECT count(*) FROM audit_log")).isEqualTo(2);
        assertThat(run(30)).isEqualTo(Duration.ofMinutes(1));

        assertThat(db.number("SELECT count(*) FROM audit_log WHERE at > now() - interval '30 days'"))
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM audit_log")).isEqualTo(1);
    }
}
