package io.taskexec.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestDb;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryPlanTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));

    private static TestDb db;

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
    }

    @AfterAll
    static void close() {
        db.close();
    }

    /** @param due how many of 200,000 are due; the others become due later */
    private static void fill(int due) {
        db.execute("TRUNCATE exec_live");
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT g.id, g.id, g.i % 8, now() + (g.i - $1) * interval '1 second', now(), now()
                FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, 200000) AS i) AS g
                """, due);
        db.execute("ANALYZE exec_live");
    }

    private static String plan(String sql, Object... parameters) {
        return db.rows("EXPLAIN " + sql, parameters).stream()
                .map(row -> row.getString(0))
                .collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000, 199_999})
    void aClaimReadsTheIndexInItsOrder(int due) {
        fill(due);

        var plan = plan(LeaseStore.CLAIM, LANES, 50L, 60_000L, 1L, UUID.randomUUID(), LeaseStore.MAX_RESCUES);

        assertThat(plan).contains("exec_live_pick").doesNotContain("Seq Scan on exec_live");
    }

    @Test
    void theNextDueOneIsLookedUpInTheIndex() {
        fill(1000);

        var plan = plan(LeaseStore.NEXT_DUE, (Object) LANES);

        assertThat(plan).contains("exec_live_pick").doesNotContain("Seq Scan on exec_live");
    }
}
