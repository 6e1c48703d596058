package io.taskexec.store.migration;

import io.taskexec.store.sql.DatabaseProbe;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Tells an operator which transactions keep others from the tables, after one of those has given up. */
final class LockHolders {
    private static final int MOST = 5;
    private static final String CLIENT = "client backend";

    /** Longer than an ordinary transaction of a server lasts. */
    private static final String WAIT = "SELECT pg_sleep(1)";

    // Of other roles' sessions only their names are shown to a role that may not read all: their ages are not known.
    private static final String HOLDERS = """
            SELECT DISTINCT l.pid, l.virtualtransaction AS transaction, coalesce(a.application_name, '') AS program,
                   coalesce(a.state, '') AS state, coalesce(a.backend_type, '') AS kind,
                   coalesce(floor(extract(epoch FROM pg_catalog.now() - a.xact_start))::bigint, -1) AS seconds
            FROM pg_locks l
            JOIN pg_class c ON c.oid = l.relation
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'relation' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
              AND n.nspname = current_schema()
              AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            ORDER BY seconds DESC
            """;

    private LockHolders() {}

    /** Those that hold locks of tables and go on to do so for a while, as one line without any statement. */
    static String describe(DataSource source) {
        try (var connection = source.getConnection()) {
            var before = look(connection);
            try (var statement = connection.createStatement()) {
                var _ = statement.execute(WAIT);
            }
            var now = look(connection);
            now.keySet().retainAll(before.keySet());
            return now.isEmpty()
                    ? "none any more"
                    : now.values().stream().limit(MOST).collect(Collectors.joining("; "));
        } catch (SQLException e) {
            return "not known: " + DatabaseProbe.reason(e);
        }
    }

    /** Descriptions by transaction, the oldest ones first. */
    private static Map<String, String> look(Connection connection) throws SQLException {
        var found = new LinkedHashMap<String, String>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(HOLDERS)) {
            while (rows.next()) {
                var seconds = rows.getLong("seconds");
                var kind = rows.getString("kind");
                var details = Stream.of(
                                kind.equals(CLIENT) ? "" : kind,
                                rows.getString("program"),
                                rows.getString("state"),
                                seconds < 0 ? "" : "open for " + seconds + " s")
                        .filter(detail -> !detail.isEmpty())
                        .collect(Collectors.joining(", "));
                var pid = rows.getInt("pid");
                found.put(
                        rows.getString("transaction"),
                        rows.wasNull()
                                ? "a prepared transaction (see pg_prepared_xacts)"
                                : "pid %d (%s)".formatted(pid, details));
            }
        }
        return found;
    }
}
