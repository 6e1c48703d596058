package io.taskexec.store.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.store.job.JobInsert;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Dialect;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.JobForms;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@NeedsOwnServer("Plans are those of PostgreSQL.")
class QueryPlanTest {
    private static final Integer[] LANES = Lanes.of(List.of(0));

    private static final int BATCH = 200;

    /** Executions are found by their ids. PostgreSQL chooses which of the two scans by what it last counted. */
    private static final String BY_ID = "(Index Scan using|Bitmap Index Scan on) exec_live_pk";

    /** So many that reading all of them looks expensive. */
    private static final int ROWS = 20_000;

    /** Full: its executions become due one second after the other. */
    private static TestDb queue;

    /** A queue that was empty when the planner last looked at it, and history. */
    private static TestDb emptied;

    @BeforeAll
    static void open() {
        queue = TestDb.fresh();
        fill(queue, ROWS);
        queue.execute("ANALYZE exec_live");
        emptied = TestDb.fresh();
        fillUnnoticed();
        fillHistory();
    }

    @AfterAll
    static void close() {
        queue.close();
        emptied.close();
    }

    private static void fill(TestDb db, int rows) {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT g.id, g.id, g.i % 8, now() + g.i * interval '1 second', now(), now()
                FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, $1::int) AS i) AS g
                """, rows);
    }

    private static String plan(TestDb db, String sql, Object... parameters) {
        return db.rows("EXPLAIN " + sql, parameters).stream()
                .map(row -> row.getString(0))
                .collect(Collectors.joining("\n"));
    }

    private static List<String> forms(EventedStatement change) {
        return Stream.of(change.alone(), change.withEvents())
                .map(Dialect.POSTGRESQL::keepingPlan)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, ROWS - 1})
    void aClaimReadsTheIndexInItsOrder(int due) {
        queue.execute(
                "UPDATE exec_live SET visible_at = visible_at + (now() - min.at) - $1 * interval '1 second'"
                        + " FROM (SELECT min(visible_at) AS at FROM exec_live) AS min",
                due);
        queue.execute("ANALYZE exec_live");

        for (var sql : Stream.of(ClaimStatement.MARKED, ClaimStatement.MARKED_MEASURED)
                .flatMap(claim -> forms(claim).stream())
                .toList()) {
            var plan = plan(
                    queue,
                    sql,
                    LANES,
                    50L,
                    60_000L,
                    1L,
                    UUID.randomUUID(),
                    LeaseStore.MAX_RESCUES,
                    new Integer[] {1, 5},
                    new Integer[] {4, 8},
                    new Long[] {1_000L, null});

            assertThat(plan)
                    .containsOnlyOnce("exec_live_pick")
                    .contains("exec_live_pk")
                    .doesNotContain("Seq Scan on exec_live");
            assertThat(plan.substring(plan.indexOf("CTE due"), plan.indexOf("CTE claimed")))
                    .doesNotContain("Sort");
            assertThat(plan)
                    .as("what has no limits pays nothing for them")
                    .doesNotContain("flow_limits", "flow_policies", "queue_limits", "queues");
        }
    }

    private static Object[] ofShares(int groups) {
        var looks = LaneLooks.of(true, Lanes.PRIORITIES - 1);
        var flags = new Boolean[groups];
        Arrays.fill(flags, true);
        return new Object[] {
            IntStream.range(0, groups).mapToObj(group -> 128 * group).toArray(Integer[]::new),
            IntStream.range(0, groups).mapToObj(_ -> 20L).toArray(Long[]::new),
            60_000L,
            1L,
            UUID.randomUUID(),
            LeaseStore.MAX_RESCUES,
            IntStream.range(0, groups).mapToObj(_ -> 1_000L).toArray(Long[]::new),
            flags,
            looks.priorities(),
            looks.steps(),
            looks.agedFirst(),
            false
        };
    }

    /** Without a sort, a group's looks end as soon as it has its share, and nothing else is locked. */
    @ParameterizedTest
    @ValueSource(ints = {2, 500})
    void aClaimBySharesReadsTheIndexOfEachLaneInItsOrderAndSortsNothing(int groups) {
        for (var sql : Stream.of(ClaimStatement.SHARED, ClaimStatement.SHARED_MEASURED)
                .flatMap(claim -> forms(claim).stream())
                .toList()) {
            var plan = plan(queue, sql, ofShares(groups));

            assertThat(plan)
                    .containsOnlyOnce("exec_live_pick")
                    .containsPattern("Index Cond: \\(\\(lane = \\(share.line \\+ look.priority\\)\\) AND"
                            + " \\(visible_at <= .*\\) AND \\(visible_at >= ")
                    .doesNotContain("Seq Scan on exec_live");
            assertThat(plan.substring(plan.indexOf("CTE due"), plan.indexOf("CTE claimed")))
                    .doesNotContain("Sort", "Materialize");
        }
        assertThat(plan(queue, forms(ClaimStatement.KEYED_SHARED).getFirst(), ofShares(groups)))
                .containsOnlyOnce("exec_live_pick")
                .doesNotContain("Seq Scan on exec_live");
    }

    @Test
    void whatIsDeferredInFullQueuesIsFoundWithoutALookAtWhatElseWaitsThere() {
        for (var sql : forms(ClaimStatement.DEFERRED)) {
            var plan = plan(
                    queue,
                    sql,
                    new Integer[] {0},
                    10L,
                    60_000L,
                    1L,
                    UUID.randomUUID(),
                    LeaseStore.MAX_RESCUES,
                    new Integer[] {0},
                    7);

            assertThat(plan)
                    .contains("exec_live_deferred", "exec_live_pk")
                    .doesNotContain("Seq Scan on exec_live", "exec_live_pick");
        }
        assertThat(plan(queue, LimitedClaims.NEXT_DEFERRED, new Integer[] {0}, new Integer[] {0}, 7))
                .contains("exec_live_deferred")
                .doesNotContain("Seq Scan on exec_live", "exec_live_pick");
    }

    @Test
    void theDirectoryOfLanesGoesFromLaneToLane() {
        var plan = plan(
                queue,
                "ANALYZE " + Dialect.POSTGRESQL.keepingPlan(LaneDirectory.READ),
                new Integer[] {0},
                Lanes.PRIORITIES - 1);

        assertThat(plan)
                .contains("Recursive Union", "Index Cond: (lane > lanes_1.lane)")
                .containsPattern(
                        "Index Only Scan using exec_live_pick on exec_live exec_live_1 .*rows=(1|0.88) loops=8\\)")
                .doesNotContain("Seq Scan on exec_live");
    }

    /** So many pages stay that results are looked up in the index, whatever is in them by now. */
    private static void fillUnnoticed() {
        fill(emptied, 10 * ROWS);
        emptied.execute("DELETE FROM exec_live");
        emptied.execute("VACUUM ANALYZE exec_live");
        emptied.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT g.id, g.id, 0, now(), now(), now()
                FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) AS g
                """);
    }

    @Test
    void resultsAreFoundByTheirIdsAndNotByComparingEachWithEach() {
        var ids = IntStream.range(0, BATCH).mapToObj(_ -> UUID.randomUUID()).toArray(UUID[]::new);
        var texts = new String[BATCH];

        for (var sql : forms(ResultStatement.END)) {
            var plan = plan(emptied, sql, ids, new Long[BATCH], texts, texts, texts, texts);

            assertThat(plan).containsPattern(BY_ID).doesNotContain("Nested Loop", "Join");
        }
    }

    @Test
    void whoIsToldOfAResultIsFoundByTheIdOfItsJob() {
        var ids = IntStream.range(0, BATCH).mapToObj(_ -> UUID.randomUUID()).toArray(UUID[]::new);
        var texts = new String[BATCH];

        for (var sql : forms(ResultStatement.END_WITH_CALLBACKS)) {
            var plan = plan(emptied, sql, ids, new Long[BATCH], texts, texts, texts, texts, ids, texts, texts);

            assertThat(plan)
                    .containsPattern(BY_ID)
                    .contains("Index Scan using jobs_pk", "endpoint_versions_pk")
                    .doesNotContain("Seq Scan");
        }
    }

    @Test
    void ofJobsThatAreCreatedThoseWithANewKeyAreFoundByHash() {
        var ids = new UUID[BATCH];
        var texts = new String[BATCH];
        var numbers = new Integer[BATCH];

        for (var sql : forms(JobInsert.of(JobForms.PLAIN, HomeRegion.DEFAULT))) {
            var plan = plan(
                    emptied,
                    sql,
                    ids,
                    texts,
                    numbers,
                    numbers,
                    texts,
                    new OffsetDateTime[BATCH],
                    new Long[BATCH],
                    numbers,
                    texts,
                    ids,
                    texts,
                    texts,
                    texts);

            assertThat(plan).contains("hashed SubPlan").doesNotContain("Join Filter");
        }
    }

    @Test
    void theNextDueOneIsLookedUpInTheIndex() {
        var plan = plan(queue, PlainClaims.NEXT_DUE, LANES, new Long[LANES.length], 1_000L);

        assertThat(plan).contains("exec_live_pick").doesNotContain("Seq Scan on exec_live");
    }

    /** One execution in ten failed, of these one in a hundred with TIMEOUT. */
    private static void fillHistory() {
        emptied.execute("""
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, error, run_at, started_at,
                  completed_at, created_at)
                SELECT g.id, g.id, 4, CASE WHEN i % 10 = 0 THEN 'FAILED' ELSE 'SUCCESS' END, 1,
                  CASE WHEN i % 1000 = 0 THEN '{"type": "TIMEOUT"}'::json
                       WHEN i % 10 = 0 THEN '{"type": "HTTP_ERROR"}'::json END, now(), now(), now(), now()
                FROM (SELECT gen_random_uuid() AS id, i FROM generate_series(1, $1::int) AS i) AS g
                """, ROWS);
        emptied.execute("ANALYZE executions");
    }

    private static ExecutionSelection selection(ExecutionStatus status, Failure.@Nullable Type type) {
        return new ExecutionSelection(status, type, "welcome", "default", "mail", null, null, false);
    }

    private static String listPlan(ExecutionSelection wanted) {
        var conditions = ExecutionSearch.conditions(wanted, UUID.randomUUID());
        var parameters = conditions.parameters(51L);
        return plan(
                emptied,
                ExecutionSearch.listSql(wanted, conditions),
                IntStream.range(0, parameters.size())
                        .mapToObj(parameters::getValue)
                        .toArray());
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED", "CANCELLED", "EXPIRED"})
    void whatDidNotSucceedIsListedWithoutALookAtWhatDid(ExecutionStatus status) {
        // The other index has failures only, and is as good where there are no others.
        assertThat(listPlan(selection(status, null)))
                .containsAnyOf("executions_default_unsuccessful", "executions_default_failed_by_type")
                .doesNotContain("Seq Scan on executions_default");
        assertThat(listPlan(new ExecutionSelection(status, null, null, null, null, null, null, null)))
                .containsAnyOf("executions_default_unsuccessful", "executions_default_failed_by_type")
                .doesNotContain("Seq Scan on executions_default");
    }

    @Test
    void aClassOfFailureIsFoundInAnIndexOfItsOwn() {
        assertThat(listPlan(new ExecutionSelection(null, Failure.Type.TIMEOUT, null, null, null, null, null, null)))
                .contains("executions_default_failed_by_type")
                .doesNotContain("Seq Scan on executions_default");
    }
}
