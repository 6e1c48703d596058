package io.taskexec.store;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes what an export has read. Each batch is one statement that leaves alone what is already there, so that an import
 * that was broken off is run again from the start.
 */
@Singleton
public final class ImportStore {
    private static final int TRIES = 10;

    /** serialization_failure and deadlock_detected. */
    private static final Set<String> PASSING = Set.of("40001", "40P01");

    /** Rows that every database has from the start. */
    private static final Map<String, String> SEEDS =
            Map.of("queues", "queue_id <> 0", "event_positions", "name NOT IN ('log', 'removed') OR position > 0");

    private final DataSource dataSource;

    public ImportStore(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    private static final String KNOWN = "SELECT export_id, ended_at IS NOT NULL FROM imports";

    // Of two that begin at once, the second waits here and then finds the first.
    private static final String LOCK = "SELECT value FROM epochs WHERE name = 'secrets' FOR UPDATE";

    private static final String BEGIN = "INSERT INTO imports (export_id) VALUES (?::uuid) ON CONFLICT DO NOTHING";

    /** Makes sure that nothing is there but what an import of the same export has left that was broken off. */
    public void begin(UUID exportId) {
        var _ = run("The import cannot begin", connection -> {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                var _ = statement.execute(LOCK);
            }
            if (!isGoingOn(connection, exportId)) {
                refuseIfUsed(connection);
                try (var statement = connection.prepareStatement(BEGIN)) {
                    statement.setString(1, exportId.toString());
                    var _ = statement.executeUpdate();
                }
            }
            connection.commit();
            return 0;
        });
    }

    private static boolean isGoingOn(Connection connection, UUID exportId) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(KNOWN)) {
            if (!rows.next()) {
                return false;
            }
            if (!rows.getString(1).equals(exportId.toString())) {
                throw new TransferException(
                        "Another export was imported into this database: use a database of its own for this one.");
            }
            if (rows.getBoolean(2)) {
                throw new TransferException("This export was imported into this database already, to its end.");
            }
            return true;
        }
    }

    private static void refuseIfUsed(Connection connection) throws SQLException {
        for (var part : Parts.ALL) {
            var sql = "SELECT EXISTS (SELECT 1 FROM " + part.table() + " WHERE "
                    + SEEDS.getOrDefault(part.table(), "true") + ")";
            try (var statement = connection.createStatement();
                    var rows = statement.executeQuery(sql)) {
                if (rows.next() && rows.getBoolean(1)) {
                    throw new TransferException("The database is not empty: there is something in '" + part.table()
                            + "'. Import into one that was only migrated.");
                }
            }
        }
    }

    /**
     * Writes rows of one part that are not there.
     *
     * @param rows the values of each, in the order of the part's columns; lists of texts as {@code {"a","b"}}
     */
    public void write(Part part, List<List<@Nullable String>> rows) {
        var _ = run("Rows of the kind '" + part.name() + "' cannot be written", connection -> {
            try (var statement = connection.prepareStatement(part.write())) {
                for (var column = 0; column < part.columns().size(); column++) {
                    var values = new @Nullable Object[rows.size()];
                    for (var row = 0; row < values.length; row++) {
                        values[row] = rows.get(row).get(column);
                    }
                    statement.setArray(column + 1, connection.createArrayOf("text", values));
                }
                return statement.executeUpdate();
            }
        });
    }

    private static final String END = "UPDATE imports SET ended_at = now() WHERE export_id = ?::uuid";

    /** Keeps the same export from being written once more, over what has become of it. */
    public void end(UUID exportId) {
        var _ = run("The import cannot be ended", connection -> {
            try (var statement = connection.prepareStatement(END)) {
                statement.setString(1, exportId.toString());
                return statement.executeUpdate();
            }
        });
    }

    private interface Work {
        int on(Connection connection) throws SQLException;
    }

    private int run(String what, Work work) {
        for (var attempt = 1; ; attempt++) {
            try (var connection = dataSource.getConnection()) {
                return work.on(connection);
            } catch (SQLException e) {
                if (attempt == TRIES || !PASSING.contains(e.getSQLState())) {
                    throw TransferException.of(what, e);
                }
            }
        }
    }
}
