package io.taskexec.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/**
 * Which database is there. Nearly every statement is one that both have; what differs is asked here, so that this is the
 * one list of differences.
 */
public enum Dialect {
    POSTGRESQL,
    COCKROACHDB;

    /** What a database is asked to find out. */
    public static final String VERSION = "SELECT version()";

    /** @param version what the database answers to {@link #VERSION} */
    public static Dialect of(String version) {
        return version.contains("CockroachDB") ? COCKROACHDB : POSTGRESQL;
    }

    public static Dialect of(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var version = statement.executeQuery(VERSION)) {
            return of(version.next() ? version.getString(1) : "");
        }
    }

    /** The folder of its own migrations. */
    String folder() {
        return switch (this) {
            case POSTGRESQL -> "/postgresql/";
            case COCKROACHDB -> "/cockroachdb/";
        };
    }

    /** What is set for each connection of the pool. */
    Map<String, String> sessions() {
        return switch (this) {
            // All statements are made for their index. A table that was empty when it was looked at last would be read
            // as a whole, and sorted, with every claim, until it is looked at again.
            case POSTGRESQL -> Map.of("enable_seqscan", "off", "enable_bitmapscan", "off");
            // What ends and what is created for it are in one table. They are never the same rows, which is what the
            // database cannot know. A result that fits the buffer lets it run a statement again by itself.
            case COCKROACHDB ->
                Map.of(
                        "default_transaction_isolation", "read committed",
                        "enable_multiple_modifications_of_table", "on",
                        "results_buffer_size", "1048576");
        };
    }

    /** Whether one process can wake another by LISTEN and NOTIFY. */
    public boolean wakes() {
        return this == POSTGRESQL;
    }

    /**
     * Begins a transaction in which all statements see one state of the database. CockroachDB would give that to any
     * transaction, but one that reads at a time of its own is in nobody's way. It does not keep that state for it, though:
     * see {@link #hasForgotten}.
     */
    void beginSnapshot(Connection connection) throws SQLException {
        switch (this) {
            case POSTGRESQL -> {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                try (var statement = connection.createStatement()) {
                    var _ = statement.execute("SET TRANSACTION READ ONLY");
                    // As for the pool: what is read goes along a primary key, whatever the statistics say.
                    var _ = statement.execute("SET LOCAL enable_seqscan = off");
                    var _ = statement.execute("SET LOCAL enable_bitmapscan = off");
                }
            }
            case COCKROACHDB -> {
                try (var statement = connection.createStatement()) {
                    String now;
                    try (var clock = statement.executeQuery("SELECT cluster_logical_timestamp()::text")) {
                        now = clock.next() ? clock.getString(1) : "";
                    }
                    connection.setAutoCommit(false);
                    var _ = statement.execute("SET TRANSACTION AS OF SYSTEM TIME " + now);
                }
            }
        }
    }

    /** Whether a statement fails because it reads what was there longer ago than a table keeps that, in CockroachDB. */
    static boolean hasForgotten(SQLException failure) {
        return String.valueOf(failure.getMessage()).contains("must be after replica GC threshold");
    }
}
