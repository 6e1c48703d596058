package io.taskexec.store.dependency;

import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The part of each statement that ends executions which notes those that others wait for. Their children are counted by
 * {@link DependencyReleases} after the commit, so that no end waits for the end of another parent.
 */
public final class EndedParents {
    /** The column that says of each execution whether it was noted. */
    public static final String COLUMN = ", has_children";

    private EndedParents() {}

    /**
     * Notes the parents among the deleted rows.
     *
     * @param ended the CTE with the rows of exec_live
     * @param status SQL for how they have ended
     */
    public static String of(String ended, String status) {
        return """
            , noted_parents AS (
              INSERT INTO ended_parents (execution_id, status)
              SELECT execution_id, %s FROM %s WHERE has_children
            )
            """.formatted(status, ended);
    }

    /** The executions that a statement with {@link #COLUMN} has noted. */
    public static List<UUID> in(RowSet<Row> answer) {
        var parents = new ArrayList<UUID>();
        answer.forEach(row -> {
            if (row.getBoolean("has_children")) {
                parents.add(row.getUUID("execution_id"));
            }
        });
        return parents;
    }
}
