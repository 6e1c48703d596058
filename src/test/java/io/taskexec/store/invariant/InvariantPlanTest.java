package io.taskexec.store.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With much history, no invariant costs a scan of it. */
@NeedsOwnServer("Plans are those of PostgreSQL.")
@StoreTest(clearJobs = false)
class InvariantPlanTest {
    @Inject
    private static TestDb db;

    @BeforeAll
    static void fill() {
        db.execute("""
                INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)
                SELECT ('0190' || lpad(to_hex(i), 8, '0') || '70008000000000000000')::uuid, 'e', 1, 'IMMEDIATE', 4,
                  now()
                FROM generate_series(1, 50000) AS i
                """);
        db.execute("""
                INSERT INTO executions
                  (execution_id, job_id, lane, status, attempt_count, run_at, completed_at, created_at)
                SELECT job_id, job_id, 4, 'FAILED', 1, now(), now(), now() FROM jobs
                """);
        db.execute("""
                INSERT INTO attempts (execution_id, attempt_number, status, started_at, completed_at)
                SELECT job_id, 1, 'FAILED', now(), now() FROM jobs
                """);
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), job_id, 4, now() + interval '1 day', now(), now() FROM jobs
                """);
        db.execute("""
                INSERT INTO deferrals (execution_id, attempt, mode, since, deadline, heard_at)
                SELECT job_id, 1, 'callback', now(), now(), now() FROM jobs
                """);
        db.execute("""
                INSERT INTO execution_progress (execution_id, attempt, done, reported_at, window_done, window_at,
                  next_done, next_at)
                SELECT job_id, 1, 1, now(), 1, now(), 1, now() FROM jobs
                """);
        db.execute("""
                INSERT INTO approvals (execution_id, attempt, title, announce, asked_at, deadline, on_timeout)
                SELECT job_id, 1, 'Go?', 'e', now(), now(), 'fail' FROM jobs
                """);
        db.execute("ANALYZE");
    }

    static Stream<InvariantQuery> queries() {
        return Stream.of(
                        QueueInvariants.ALL,
                        FlowInvariants.ALL,
                        DependencyInvariants.ALL,
                        WorkflowInvariants.ALL,
                        DeferralInvariants.ALL,
                        HistoryInvariants.ALL,
                        List.of(HistoryInvariants.keys(24)),
                        ScheduleInvariants.ALL)
                .flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("queries")
    void noInvariantScansHistory(InvariantQuery query) {
        var plan = db.rows("EXPLAIN " + query.counted(), 2_000L).stream()
                .map(row -> row.getString(0))
                .collect(Collectors.joining("\n"));

        assertThat(plan)
                .doesNotContain(
                        "Seq Scan on jobs",
                        "Seq Scan on executions_default",
                        "Seq Scan on attempts_default",
                        "Seq Scan on exec_live",
                        "Seq Scan on deferrals",
                        "Seq Scan on execution_progress",
                        "Seq Scan on approvals");
        assertThat(query.counted()).hasSizeLessThan(2_048);
    }
}
