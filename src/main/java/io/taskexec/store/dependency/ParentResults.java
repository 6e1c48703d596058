package io.taskexec.store.dependency;

import static io.taskexec.store.sql.Columns.jsonOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.dependency.ParentResult;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;

/** Reads how the parents of a job have ended, for its templates and its condition. */
@Singleton
public final class ParentResults {
    private final Database database;

    public ParentResults(Database database) {
        this.database = database;
    }

    // Where the rule of the child lets it run earlier, a parent may not have ended.
    private static final String SELECT = """
            SELECT e.name, coalesce(x.status, 'OPEN') AS status, x.output::text AS output, x.error::text AS error
            FROM job_edges e LEFT JOIN executions x ON x.execution_id = e.parent_id
            WHERE e.child_id = $1::uuid AND e.name <> ''
            ORDER BY e.name
            """;

    /** The parents of a job, by their names in order: those of its first execution, which has the id of the job. */
    public Uni<List<ParentResult>> of(UUID child) {
        return database.run(SELECT, Tuple.of(child))
                .map(rows -> Columns.list(
                        rows,
                        row -> new ParentResult(
                                row.getString("name"),
                                row.getString("status"),
                                jsonOrNull(row, "output"),
                                jsonOrNull(row, "error"))));
    }
}
