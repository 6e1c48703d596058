import java.io.IOException;
import java.sql.SQLException;

/** The time that the database takes to claim an execution, and to look for the next one, as the program does. */
final class ClaimCost {
    // The statements that claim. Per row, since claims take as many as there are free slots.
    private static final String COST = """
            SELECT 1000 * sum(total_exec_time) / greatest(sum(rows), 1) FROM pg_stat_statements AS s
            JOIN pg_database AS d ON d.oid = s.dbid
            WHERE d.datname = '%s' AND query LIKE '%%exec_live%%FOR UPDATE SKIP LOCKED%%'
            """;

    private static final String LOOK = """
            SELECT 1000 * sum(total_exec_time) / greatest(sum(calls), 1) FROM pg_stat_statements AS s
            JOIN pg_database AS d ON d.oid = s.dbid
            WHERE d.datname = '%s' AND query LIKE '%%least(next.visible_at%%'
            """;

    private ClaimCost() {}

    /** Begins anew. */
    static void reset(Session session) throws IOException, InterruptedException, SQLException {
        session.server().maintenance().execute("SELECT pg_stat_statements_reset()");
    }

    /** The mean of one execution since then, in microseconds. */
    static double micros(Session session) throws IOException, InterruptedException, SQLException {
        return number(session, COST);
    }

    /** The mean of a look for what is due next since then, in microseconds. */
    static double lookMicros(Session session) throws IOException, InterruptedException, SQLException {
        return number(session, LOOK);
    }

    private static double number(Session session, String query) throws IOException, InterruptedException, SQLException {
        return session.server()
                .maintenance()
                .number(query.formatted(session.database().orElseThrow().name()));
    }
}
