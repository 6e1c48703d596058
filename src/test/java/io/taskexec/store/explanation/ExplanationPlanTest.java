package io.taskexec.store.explanation;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("Plans are those of PostgreSQL.")
@StoreTest
class ExplanationPlanTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));

    @Inject
    private static TestDb db;

    @BeforeAll
    static void fill() {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT g.id, g.id, g.i % 8, now() + (g.i - 10000) * interval '1 second', now(), now()
                FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, 20000) AS i) AS g
                """);
        db.execute("""
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, completed_at,
                  created_at)
                SELECT g.id, g.id, 4, 'FAILED', 1, now(), now(), now()
                FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 20000)) AS g
                """);
        db.execute("ANALYZE exec_live");
        db.execute("ANALYZE executions");
    }

    @Test
    void eachStatementReadsIndexesOfExecutions() {
        var id = UUID.randomUUID();
        assertThat(List.of(
                        db.plan(LiveStateStore.SELECT, id),
                        db.plan(LiveStateStore.PARENTS, id, 100L),
                        db.plan(LineStore.AHEAD, id, LANES, 4, 10_001L),
                        db.plan(LineStore.RATE, LANES, 2_000L),
                        db.plan(LineStore.AHEAD_IN_KEY, id, 1L, 10_001L),
                        db.plan(LineStore.HOLDERS_OF_KEY, 1L, 0, 2_000L, 100L),
                        db.plan(LineStore.HOLDERS_OF_QUEUE, 0, 100L)))
                .allSatisfy(plan ->
                        assertThat(plan).doesNotContain("Seq Scan on exec_live", "Seq Scan on executions_default"));
    }

    @Test
    void whatIsAheadIsCountedInTheIndexOfTheClaim() {
        assertThat(db.plan(LineStore.AHEAD, UUID.randomUUID(), LANES, 4, 10_001L))
                .contains("Only Scan using exec_live_pick")
                .contains("Limit");
    }

    @Test
    void theRateLooksAtTheNewestOfHistoryOnly() {
        assertThat(db.plan(LineStore.RATE, LANES, 2_000L))
                .contains("Index Scan Backward using executions_default_pk", "exec_live_pick");
    }
}
