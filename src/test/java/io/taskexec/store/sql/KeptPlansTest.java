package io.taskexec.store.sql;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Jdbc;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * At a low rate a statement has arrays of one element. PostgreSQL takes a plan for that to be so much cheaper than one
 * for any number of elements that it would plan each execution anew, which takes longer than to execute it.
 */
class KeptPlansTest {
    /** The first five are planned for their own parameters, whatever that costs. */
    private static final int EXECUTIONS = 8;

    private static final String NAME = "kept";

    /** Statements that run for each job, as they are written. */
    private static final List<String> AS_WRITTEN = List.of(
            "CallbackRecordStore.SELECT",
            "ExecutionStore.SELECT",
            "JobStore.SELECT",
            "PlainClaims.NEXT_DUE",
            "PullQueues.NEXT_DUE",
            "PullQueues.NOTE",
            "PullQueues.SELECT");

    /** The others, that have no file in {@link HotStatementsTest#FILES}. */
    private static final List<String> SHORT =
            List.of("LeaseStore.OVERDUE", "PlainClaims.IS_OLDER_DUE", "PullQueues.URGENT");

    private static final Map<String, String> ELEMENTS = Map.of(
            "uuid", "gen_random_uuid()",
            "boolean", "true",
            "text", "'{}'",
            "json", "'{}'",
            "jsonb", "'{}'",
            "bytea", "''",
            "timestamp with time zone", "now()");

    @Test
    @NeedsOwnServer("It is about the planner of PostgreSQL.")
    void aStatementThatRunsForEachJobIsNotPlannedForEachJob() throws SQLException {
        try (var db = TestDb.fresh();
                var connection = Jdbc.to(db);
                var statement = connection.createStatement()) {
            assertThat(planned(statement)).as("without our settings").contains("CallbackRecordStore.SELECT");

            for (var setting : Dialect.POSTGRESQL.sessions().entrySet()) {
                execute(statement, "SET %s = %s".formatted(setting.getKey(), setting.getValue()));
            }
            assertThat(planned(statement)).isEmpty();

            // History has a partition for each day.
            execute(statement, "SELECT history_make_day(current_date + day) FROM generate_series(0, 7) AS day");
            create(statement);
            assertThat(planned(statement)).as("while much waits").isEmpty();

            execute(statement, "DELETE FROM exec_live");
            execute(statement, "VACUUM exec_live");
            assertThat(planned(statement)).as("when nothing waits any more").isEmpty();
        }
    }

    private static void create(Statement statement) throws SQLException {
        execute(statement, """
                INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, input, created_at)
                SELECT gen_random_uuid(), 'orders', 1, 'IMMEDIATE', 4, '{}', now() FROM generate_series(1, 50000)
                """);
        execute(statement, """
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT job_id, job_id, lane, now(), now(), created_at FROM jobs
                """);
        execute(statement, """
                INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, started_at,
                  completed_at, created_at)
                SELECT job_id, job_id, lane, 'SUCCESS', 1, now(), now(), now(), created_at FROM jobs
                """);
        // The server looks at these by itself, and never at small tables.
        execute(statement, "ANALYZE exec_live, jobs, executions");
    }

    /** The names of those that are planned for each execution. */
    private static Set<String> planned(Statement statement) throws SQLException {
        var statements = HotStatementsTest.statements();
        var planned = new TreeSet<>(HotStatementsTest.FILES.keySet());
        planned.addAll(SHORT);
        planned.addAll(AS_WRITTEN);
        for (var name : List.copyOf(planned)) {
            if (keepsPlan(statement, runs(name, requireNonNull(statements.get(name), name)))) {
                planned.remove(name);
            }
        }
        return planned;
    }

    private static String runs(String name, String sql) {
        return AS_WRITTEN.contains(name) ? sql : Dialect.POSTGRESQL.keepingPlan(sql);
    }

    private static boolean keepsPlan(Statement statement, String sql) throws SQLException {
        execute(statement, "PREPARE %s AS %s".formatted(NAME, sql));
        var types = (String[]) read(statement, "parameter_types::text[]");
        var values = Arrays.stream(types).map(KeptPlansTest::value).collect(Collectors.joining(", "));
        for (var execution = 0; execution < EXECUTIONS; execution++) {
            // This chooses a plan as an execution does.
            execute(statement, "EXPLAIN EXECUTE %s%s".formatted(NAME, types.length == 0 ? "" : "(" + values + ")"));
        }
        var kept = ((Number) read(statement, "generic_plans")).intValue();
        execute(statement, "DEALLOCATE " + NAME);
        return kept > 0;
    }

    private static void execute(Statement statement, String sql) throws SQLException {
        var _ = statement.execute(sql);
    }

    private static Object read(Statement statement, String column) throws SQLException {
        try (var rows = statement.executeQuery("SELECT %s FROM pg_prepared_statements".formatted(column))) {
            assertThat(rows.next()).isTrue();
            var value = rows.getObject(1);
            return value instanceof java.sql.Array array ? array.getArray() : value;
        }
    }

    private static String value(String type) {
        var element = ELEMENTS.getOrDefault(type.replace("[]", ""), "1");
        return type.endsWith("[]") ? "ARRAY[%s]::%s".formatted(element, type) : "%s::%s".formatted(element, type);
    }
}
