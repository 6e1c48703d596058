package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds executions of all jobs, live and finished. Only the conditions that are asked for are in a statement. */
@Singleton
public final class ExecutionSearch {
    private final Database database;

    public ExecutionSearch(Database database) {
        this.database = database;
    }

    /** Newest first; {@code after} is the last execution of the page before. */
    public Uni<Page<Execution, UUID>> list(ExecutionSelection wanted, int limit, @Nullable UUID after) {
        var conditions = conditions(wanted, after);
        return database.run(listSql(wanted, conditions), conditions.parameters(limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, ExecutionStore::read), limit, Execution::id));
    }

    static Conditions conditions(ExecutionSelection wanted, @Nullable UUID after) {
        var conditions = new Conditions().and("e.execution_id < ?::uuid", after);
        Selections.addIndexed(conditions, wanted);
        Selections.addOthers(conditions, wanted);
        return conditions;
    }

    static String listSql(ExecutionSelection wanted, Conditions conditions) {
        var limit = " DESC LIMIT " + conditions.next() + "::bigint";
        return ExecutionStore.COLUMNS
                + "FROM (" + ids(wanted, conditions, "ORDER BY e.execution_id" + limit) + ") AS wanted\n"
                + ExecutionStore.OF_WANTED
                + "ORDER BY wanted.id" + limit;
    }

    /** The ids of those wanted, of each table by itself: neither has to be read further than the page goes. */
    private static String ids(ExecutionSelection wanted, Conditions conditions, String end) {
        var tables = new ArrayList<String>(2);
        if (Selections.wantsLive(wanted)) {
            tables.add("exec_live");
        }
        if (Selections.wantsHistory(wanted)) {
            tables.add("executions");
        }
        return String.join(
                "\nUNION ALL\n",
                tables.stream()
                        .map(table ->
                                "(SELECT e.execution_id AS id FROM " + table + " e\n" + conditions.where() + end + ")")
                        .toList());
    }

    /**
     * A number of executions.
     *
     * @param more whether there are more than that, which have not been counted
     */
    public record Count(long count, boolean more) {}

    /** Counts to {@code bound} at most. */
    public Uni<Count> count(ExecutionSelection wanted, long bound) {
        var conditions = conditions(wanted, null);
        var limit = "LIMIT " + conditions.next() + "::bigint";
        var sql = "SELECT count(*) AS count FROM (SELECT id FROM (" + ids(wanted, conditions, limit) + ") AS a " + limit
                + ") AS b";
        return database.run(sql, conditions.parameters(bound + 1))
                .map(rows -> rows.iterator().next().getLong("count"))
                .map(count -> new Count(Math.min(count, bound), count > bound));
    }
}
