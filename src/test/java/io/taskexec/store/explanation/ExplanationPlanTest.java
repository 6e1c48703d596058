package io.taskexec.store.explanation;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
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

    /** The plan in a session as the program has them. */
    private static String plan(String sql, Object... parameters) {
        return await(db.pool()
                .withTransaction(transaction -> transaction
                        .query("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
                        .execute()
                        .chain(_ -> transaction.preparedQuery("EXPLAIN " + sql).execute(Tuple.from(parameters)))
                        .map(found -> StreamSupport.stream(found.spliterator(), false)
                                .map(row -> row.getString(0))
                                .collect(Collectors.joining("\n")))));
    }

    @Test
    void eachStatementReadsIndexesOfExecutions() {
        var id = UUID.randomUUID();
        assertThat(List.of(
                        plan(LiveStateStore.SELECT, id),
                        plan(LiveStateStore.PARENTS, id, 100L),
                        plan(LineStore.AHEAD, id, LANES, 4, 10_001L),
                        plan(LineStore.RATE, LANES, 2_000L),
                        plan(LineStore.AHEAD_IN_KEY, id, 1L, 10_001L),
                        plan(LineStore.HOLDERS_OF_KEY, 1L, 0, 2_000L, 100L),
                        plan(LineStore.HOLDERS_OF_QUEUE, 0, 100L)))
                .allSatisfy(plan ->
                        assertThat(plan).doesNotContain("Seq Scan on exec_live", "Seq Scan on executions_default"));
    }

    @Test
    void whatIsAheadIsCountedInTheIndexOfTheClaim() {
        assertThat(plan(LineStore.AHEAD, UUID.randomUUID(), LANES, 4, 10_001L))
                .contains("Only Scan using exec_live_pick")
                .contains("Limit");
    }

    @Test
    void theRateLooksAtTheNewestOfHistoryOnly() {
        assertThat(plan(LineStore.RATE, LANES, 2_000L))
                .contains("Index Scan Backward using executions_default_pk", "exec_live_pick");
    }
}
