package io.taskexec.store.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The databases that taskexec runs on. Nearly every statement is one that both have; this is the one list of
 * differences.
 */
public enum Dialect {
    POSTGRESQL,
    COCKROACHDB;

    private static final Pattern ANY = Pattern.compile("ANY\\((\\$\\d+)::(\\w+\\[])\\)");
    private static final Pattern LIMIT = Pattern.compile("LIMIT (\\$\\d+::bigint)");

    /** The property of the program that has its name. */
    public static final String PROPERTY = "taskexec.database.dialect";

    /** Asks a database which one it is. */
    public static final String VERSION = "SELECT version()";

    /**
     * Returns the dialect of a database.
     *
     * @param version the answer to {@link #VERSION}
     */
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
    public String folder() {
        return switch (this) {
            case POSTGRESQL -> "/postgresql/";
            case COCKROACHDB -> "/cockroachdb/";
        };
    }

    /** What is set for each connection of the pool. */
    public Map<String, String> sessions() {
        return switch (this) {
            // All statements are made for their index. A table that was empty when it was looked at last would be read
            // as a whole, and sorted, with every claim, until it is looked at again.
            //
            // What is made anew for each execution costs more than the execution. The server does that as long as the
            // plan for one row looks cheaper than the one for ten that it would keep, which these costs prevent: they
            // say that planning is dear and that nearly all is in memory. A plan that reads far too much still looks
            // dearer. No statement of ours is so long that it would be worth to be compiled.
            case POSTGRESQL ->
                Map.of(
                        "enable_seqscan", "off",
                        "enable_bitmapscan", "off",
                        "random_page_cost", "1.1",
                        "cpu_operator_cost", "0.025",
                        "jit", "off");
            // What ends and what is created for it are in one table. They are never the same rows, which is what the
            // database cannot know. A result that fits the buffer lets it run a statement again by itself.
            case COCKROACHDB ->
                Map.of(
                        "default_transaction_isolation", "read committed",
                        "enable_multiple_modifications_of_table", "on",
                        "results_buffer_size", "1048576");
        };
    }

    /**
     * Returns a statement that runs for each job, as this database keeps its plan. PostgreSQL keeps one as long as a
     * plan for the values at hand does not look much cheaper, and else plans each execution anew, which takes longer
     * than to execute it. So the planner must not see how many ids, lanes and rows are asked for. The plan must be the
     * same for all of them.
     */
    public String keepingPlan(String sql) {
        return switch (this) {
            case POSTGRESQL ->
                LIMIT.matcher(ANY.matcher(sql).replaceAll("ANY((SELECT $1::$2)::$2)"))
                        .replaceAll("LIMIT (SELECT $1)");
            // It reads a whole table for what it does not know when it plans.
            case COCKROACHDB -> sql;
        };
    }

    /** Whether one process can wake another by LISTEN and NOTIFY. */
    public boolean wakes() {
        return this == POSTGRESQL;
    }
}
