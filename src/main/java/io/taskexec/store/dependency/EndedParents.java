package io.taskexec.store.dependency;

import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;

/**
 * The part of each statement that ends executions which notes those that others wait for. Their children are counted by
 * {@link Joins} after the commit, so that no end waits for the end of another parent.
 */
public final class EndedParents {
    /** The column with the number of those. */
    public static final String COLUMN = ", (SELECT count(*) FROM noted_parents) AS ended_parents";

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
              RETURNING execution_id
            )
            """.formatted(status, ended);
    }

    /** Whether a statement with {@link #COLUMN} has noted any. */
    public static boolean areIn(RowSet<Row> answer) {
        return answer.size() > 0 && answer.iterator().next().getLong("ended_parents") > 0;
    }
}
