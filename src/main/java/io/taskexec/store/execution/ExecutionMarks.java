package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Tells cheaply whether executions have changed: texts that are others after a change. */
@Singleton
public final class ExecutionMarks {
    private final Database database;

    public ExecutionMarks(Database database) {
        this.database = database;
    }

    // Scalar subqueries keep the planner on primary keys, however few rows it believes in.
    private static final String SELECT = """
            SELECT wanted.id,
              coalesce(
                (SELECT 'ended ' || x.completed_at::text FROM executions x WHERE x.execution_id = wanted.id),
                (SELECT concat(l.attempt, ' ', l.failures, ' ',
            """ + ExecutionStore.liveStatus("l").indent(10) + """
                ) FROM exec_live l WHERE l.execution_id = wanted.id),
                'gone')
              || coalesce(
                (SELECT ' ' || p.reported_at::text FROM execution_progress p WHERE p.execution_id = wanted.id), '')
              AS mark
            FROM unnest($1::uuid[]) AS wanted(id)
            """;

    /** Whether a mark is that of an execution that has ended, or is not there any more. */
    public static boolean isOfEnded(String mark) {
        return mark.startsWith("ended ") || mark.startsWith("gone");
    }

    /** The marks of these executions. */
    public Uni<Map<UUID, String>> of(Collection<UUID> ids) {
        return database.run(SELECT, Tuple.tuple().addValue(ids.toArray(UUID[]::new)))
                .map(rows -> {
                    var marks = new HashMap<UUID, String>();
                    rows.forEach(row -> marks.put(row.getUUID("id"), row.getString("mark")));
                    return marks;
                });
    }
}
