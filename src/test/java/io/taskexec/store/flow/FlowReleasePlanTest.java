package io.taskexec.store.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("Plans are those of PostgreSQL.")
class FlowReleasePlanTest {
    private static final int PARKED = 50_000;

    /** Puts executions into the lines of two keys. */
    private static void park(TestDb db) {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, flow_id,
                  flow_line, flow_state)
                SELECT gen_random_uuid(), gen_random_uuid(), -4,
                  CASE WHEN i <= 20 THEN now() ELSE 'infinity' END, now(), now(),
                  CASE WHEN i % 10 = 0 THEN 2 ELSE 1 END, 4, CASE WHEN i <= 20 THEN 0 ELSE 1 END
                FROM generate_series(1, $1::int) AS i
                """, PARKED);
        db.execute("ANALYZE exec_live");
    }

    @Test
    void theCountersOfAKeyAreMadeFromOneOfItsExecutions() {
        try (var db = TestDb.fresh()) {
            park(db);

            assertThat(db.plan(FlowReleases.RESTORE, (Object) new Long[] {1L, 2L}))
                    .contains("exec_live_lines", "Limit")
                    .doesNotContain("Unique", "Seq Scan on exec_live");
        }
    }

    @Test
    void aReleaseReadsTheHeadsOfItsLinesHoweverLongTheyAre() {
        try (var db = TestDb.fresh()) {
            park(db);
            db.execute("INSERT INTO flow_limits (flow_id, endpoint, flow_key, lined)"
                    + " VALUES (1, 'fair', 'a', true), (2, 'fair', 'b', true)");
            db.execute("ANALYZE flow_limits");

            var plan = db
                    .rows("EXPLAIN " + FlowReleases.RELEASE, new Long[] {1L, 2L}, FlowReleases.WINDOW, 500, true)
                    .stream()
                    .map(row -> row.getString(0))
                    .collect(Collectors.joining("\n"));

            assertThat(plan)
                    .contains("exec_live_lines", "exec_live_pk")
                    // Of the two orders of a line only one is looked at.
                    .contains("One-Time Filter: (keys.fifo OR (NOT", "One-Time Filter: ((NOT keys.fifo) AND")
                    .doesNotContain("Seq Scan on exec_live", "exec_live_pick");
        }
    }
}
