package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LookLimits;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds executions of all jobs, live and finished. Only the conditions that are asked for are in a statement. */
@Singleton
public final class ExecutionSearch {
    private static final int FEW_JOBS = 1_000;
    private static final int FEW_EXECUTIONS = 5_000;

    /** A count must end before the statement timeout, however long the history is. */
    private static final int PAGES_COUNTED = 10;

    private final Database database;

    public ExecutionSearch(Database database) {
        this.database = database;
    }

    /**
     * Newest first; {@code after} is the last execution of the page before, or the last one that was looked at for it.
     */
    public Uni<Page<Execution, UUID>> list(ExecutionSelection wanted, int limit, @Nullable UUID after) {
        if (!Selections.asksEach(wanted)) {
            return list(wanted, conditions(wanted, after), limit, null);
        }
        return few(wanted)
                .chain(few -> few == null
                        ? newest(wanted, limit, after, mostLookedAt(wanted))
                        : list(wanted, conditions(wanted, after).and(AMONG, few), limit, null));
    }

    /** Those among the newest so many. */
    Uni<Page<Execution, UUID>> newest(ExecutionSelection wanted, int limit, @Nullable UUID after, int most) {
        return lookedAt(wanted, after, most).chain(last -> {
            var conditions = conditions(wanted, after).and("e.execution_id >= ?::uuid", last);
            return list(wanted, conditions, limit, last);
        });
    }

    private Uni<Page<Execution, UUID>> list(
            ExecutionSelection wanted, Conditions conditions, int limit, @Nullable UUID lookedAt) {
        return database.run(listSql(wanted, conditions), conditions.parameters(limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, ExecutionStore::read), limit, Execution::id, lookedAt));
    }

    private static final String AMONG = "e.execution_id = ANY(?::uuid[])";

    // The executions of few jobs: first those with the ids of their jobs, then those of ticks and retries.
    private static final String FEW = """
            WITH few AS MATERIALIZED (SELECT m.job_id FROM %s = $1::text LIMIT $2::bigint)
            SELECT job_id AS id FROM few
            UNION ALL
            SELECT x.id FROM few, LATERAL (
              SELECT e.execution_id AS id FROM exec_live e
              WHERE e.job_id = few.job_id AND e.execution_id <> e.job_id LIMIT $3::bigint) AS x
            WHERE (SELECT count(*) FROM few) < $2::bigint
            UNION ALL
            SELECT x.id FROM few, LATERAL (
              SELECT e.execution_id AS id FROM executions e
              WHERE e.job_id = few.job_id AND e.execution_id <> e.job_id LIMIT $3::bigint) AS x
            WHERE (SELECT count(*) FROM few) < $2::bigint
            LIMIT $3::bigint
            """;

    static final String FEW_TAGGED = FEW.formatted("job_tags m WHERE m.tag");
    static final String FEW_OF_ENDPOINT = FEW.formatted("jobs m WHERE m.endpoint");

    /** All that may be of a tag or an endpoint, where those are few; null otherwise. */
    private Uni<UUID @Nullable []> few(ExecutionSelection wanted) {
        var name = wanted.tag() == null ? wanted.endpoint() : wanted.tag();
        if (name == null) {
            return Uni.createFrom().nullItem();
        }
        var sql = wanted.tag() == null ? FEW_OF_ENDPOINT : FEW_TAGGED;
        return database.run(sql, Tuple.of(name, (long) FEW_JOBS, (long) FEW_EXECUTIONS))
                .map(rows -> Columns.list(rows, row -> row.getUUID("id")))
                .map(ids -> ids.size() == FEW_JOBS || ids.size() >= FEW_EXECUTIONS ? null : ids.toArray(UUID[]::new));
    }

    /** The last execution that is looked at for a page; null when there are not as many. */
    private Uni<@Nullable UUID> lookedAt(ExecutionSelection wanted, @Nullable UUID after, int most) {
        var conditions = new Conditions().and("e.execution_id < ?::uuid", after);
        Selections.addIndexed(conditions, wanted);
        var end = "ORDER BY e.execution_id DESC LIMIT 1 OFFSET " + conditions.next() + "::bigint";
        var sql = "SELECT id FROM (" + ids(wanted, conditions, end) + ") AS last ORDER BY id DESC LIMIT 1";
        return database.run(sql, conditions.parameters(most - 1L))
                .map(rows -> Columns.first(rows, row -> row.getUUID("id")));
    }

    /** The most executions of each table that are looked at for a page; who wants more asks for the next one. */
    public static int mostLookedAt(ExecutionSelection wanted) {
        return Selections.asksOtherTables(wanted) ? LookLimits.LOOKUPS : LookLimits.ROWS;
    }

    static Conditions conditions(ExecutionSelection wanted, @Nullable UUID after) {
        var conditions = new Conditions().and("e.execution_id < ?::uuid", after);
        Selections.addIndexed(conditions, wanted);
        Selections.addLiveStatus(conditions, wanted);
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
     * @param more whether there may be more than that, which have not been counted
     */
    public record Count(long count, boolean more) {}

    /** Counts to {@code bound} at most, and looks no further than so many times what a page looks at. */
    public Uni<Count> count(ExecutionSelection wanted, long bound) {
        if (!Selections.asksEach(wanted)) {
            return count(conditions(wanted, null), wanted, bound, false);
        }
        return few(wanted)
                .chain(few -> few == null
                        ? countNewest(wanted, bound, PAGES_COUNTED * mostLookedAt(wanted))
                        : count(conditions(wanted, null).and(AMONG, few), wanted, bound, false));
    }

    /** Counts among the newest so many. */
    Uni<Count> countNewest(ExecutionSelection wanted, long bound, int most) {
        return lookedAt(wanted, null, most)
                .chain(last -> count(
                        conditions(wanted, null).and("e.execution_id >= ?::uuid", last), wanted, bound, last != null));
    }

    private Uni<Count> count(Conditions conditions, ExecutionSelection wanted, long bound, boolean isPart) {
        var limit = "LIMIT " + conditions.next() + "::bigint";
        var sql = "SELECT count(*) AS count FROM (SELECT id FROM (" + ids(wanted, conditions, limit) + ") AS a " + limit
                + ") AS b";
        return database.run(sql, conditions.parameters(bound + 1))
                .map(rows -> rows.iterator().next().getLong("count"))
                .map(count -> new Count(Math.min(count, bound), isPart || count > bound));
    }
}
