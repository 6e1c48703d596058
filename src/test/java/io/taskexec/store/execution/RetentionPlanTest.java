package io.taskexec.store.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With much history, the removal of a little reads a little. */
@NeedsOwnServer("Plans are those of PostgreSQL.")
@StoreTest(clearJobs = false)
class RetentionPlanTest {
    private static final long BATCH = 500;
    private static final UUID START = new UUID(0, 0);

    /** A read of an index from its one end to the other has no condition on the line below. */
    private static final Pattern WHOLE_INDEX = Pattern.compile("Index (Only )?Scan[^\n]*\n(?!\\s+Index Cond)[^\n]*");

    @Inject
    private static TestDb db;

    @BeforeAll
    static void fill() {
        db.execute("""
                INSERT INTO jobs
                  (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, tags, created_at)
                SELECT ('0180' || lpad(to_hex(i), 8, '0') || '70008000000000000000')::uuid, 'e', 1, 'IMMEDIATE', 4,
                  'key ' || i, ARRAY['tag'], now()
                FROM generate_series(1, 50000) AS i
                """);
        db.execute("""
                INSERT INTO executions
                  (execution_id, job_id, lane, status, attempt_count, run_at, completed_at, created_at)
                SELECT job_id, job_id, 4, 'FAILED', 1, now(), now() - interval '40 days', now() FROM jobs
                """);
        db.execute("""
                INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)
                SELECT job_id, 1, 'FAILED', now(), now() FROM jobs
                """);
        db.execute("INSERT INTO execution_logs SELECT job_id, job_id, 'default', 1, 'INFO', 'm', now() FROM jobs");
        db.execute("INSERT INTO replays SELECT job_id, job_id, now() FROM jobs");
        db.execute("INSERT INTO job_tags SELECT 'tag', job_id FROM jobs");
        db.execute("INSERT INTO job_stats SELECT job_id, now(), 'FAILED', 1, 1, 1 FROM jobs");
        db.execute("""
                INSERT INTO idempotency_keys SELECT endpoint, idempotency_key, job_id, job_id, created_at FROM jobs
                """);
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), job_id, 4, now() + interval '1 day', now(), now() FROM jobs
                """);
        db.execute("""
                INSERT INTO schedules (job_id, root_id, cron_expression, timezone)
                SELECT job_id, job_id, '* * * * *', 'UTC' FROM jobs
                """);
        db.execute("""
                INSERT INTO ticks (job_id, scheduled_at, outcome, lateness_ms)
                SELECT job_id, now() - i * interval '30 days', 'MISSED', 0 FROM jobs, generate_series(0, 2) AS i
                """);
        db.execute("""
                INSERT INTO endpoint_events SELECT 'e', job_id, 'opened', '', now() - interval '40 days' FROM jobs
                """);
        db.execute("""
                INSERT INTO audit_log
                SELECT job_id, now() - interval '40 days', 'ci', 'update', 'config', 'a', 'req_1', '::1', NULL FROM jobs
                """);
        db.execute("""
                INSERT INTO operations
                  (operation_id, action, selection, status, rate_per_sec, next_at, created_at, ended_at)
                SELECT job_id, 'RETRY', '{}', 'SUCCEEDED', 1, now(), now(), now() - interval '40 days' FROM jobs
                """);
        db.execute("ANALYZE");
    }

    record Removing(String table, String sql, List<Object> parameters) {
        @Override
        public String toString() {
            return table;
        }
    }

    static Stream<Removing> statements() {
        var ago = Instant.now().minus(Duration.ofDays(30));
        UUID id = Uuid7.floor(ago);
        var few = Stream.generate(UUID::randomUUID).limit(BATCH).toArray(UUID[]::new);
        OffsetDateTime end = ago.atOffset(ZoneOffset.UTC);
        return Stream.of(
                new Removing("what to look at", RetentionStore.SEEN, List.of(START, id, end, BATCH)),
                new Removing("jobs", RetentionStore.LeftOver.JOBS.seen, List.of(START, id, BATCH)),
                new Removing("executions", RetentionStore.DELETE, List.of(few, few, START, id)),
                new Removing("audit_log", RetentionStore.DELETE_AUDIT, List.of(id, end, BATCH)),
                new Removing("endpoint_events", RetentionStore.DELETE_EVENTS, List.of(end, BATCH)),
                new Removing("operations", RetentionStore.DELETE_OPERATIONS, List.of(id, end, BATCH)),
                new Removing("idempotency_keys", IdempotencyKeyStore.SWEEP, List.of(id, BATCH, 86_400_000L)),
                new Removing("ticks", LedgerStore.DELETE_OLD, List.of(START, end, 100L, BATCH)));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void onlyRowsThatAreFoundInAnIndexAreRead(Removing removing) {
        var plan = db.plan(removing.sql(), removing.parameters().toArray());

        assertThat(plan).doesNotContain("Seq Scan", "Bitmap").doesNotContainPattern(WHOLE_INDEX);
        assertThat(removing.sql()).hasSizeLessThan(8_192);
    }
}
