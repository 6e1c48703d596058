package io.taskexec.store.history;

import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The partitions of executions, attempts and logs by the day of the execution's id. Migrations have the functions that
 * make and drop them, since servers may do neither by themselves.
 */
@Singleton
public final class HistoryDays {
    /** Rows that a drop may move while others wait for it: some ten milliseconds. */
    static final int MOST_MOVED = 1_000;

    private final Database database;

    public HistoryDays(Database database) {
        this.database = database;
    }

    // CockroachDB has no partitions that this finds.
    private static final String PARTITIONS = """
            SELECT part.relname::text AS name
            FROM pg_class whole
            JOIN pg_namespace n ON n.oid = whole.relnamespace
            JOIN pg_inherits i ON i.inhparent = whole.oid
            JOIN pg_class part ON part.oid = i.inhrelid
            WHERE n.nspname = current_schema() AND whole.relname = 'executions'
            ORDER BY part.relname
            """;

    /** The partitions that there are. */
    public Uni<Partitions> partitions() {
        return database.run(PARTITIONS, Tuple.tuple())
                .map(rows -> Columns.list(rows, row -> row.getString("name")))
                .map(names -> new Partitions(
                        !names.isEmpty(),
                        names.stream()
                                .map(Partition::ofName)
                                .flatMap(Optional::stream)
                                .sorted(Comparator.comparing(Partition::endDay))
                                .toList()));
    }

    /**
     * The partitions of history.
     *
     * @param areThere whether there are any
     * @param dated all but that of what belongs to no day, the oldest first
     */
    public record Partitions(boolean areThere, List<Partition> dated) {
        /** Whether the ids of this day have a partition. */
        public boolean have(LocalDate day) {
            return dated.stream().anyMatch(it -> it.isDay() ? it.firstDay().equals(day) : day.isBefore(it.endDay()));
        }
    }

    private static final String MAKE = "SELECT history_make_day($1::date) AS made";

    /** Makes the partitions of a day; false when that has to wait, or many rows of the day are elsewhere already. */
    public Uni<Boolean> make(LocalDate day) {
        return database.run(MAKE, Tuple.of(day))
                .map(rows -> rows.iterator().next().getBoolean("made"));
    }

    private static final String LOCKS = """
            SELECT current_setting('max_locks_per_transaction')::bigint
              * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint)
              AS locks
            """;

    /** About how many tables and indexes can be locked at once, by all transactions together. */
    public Uni<Long> locks() {
        return database.run(LOCKS, Tuple.tuple())
                .map(rows -> rows.iterator().next().getLong("locks"));
    }

    /** The fate of a partition that is old. */
    public enum Outcome {
        DROPPED,
        /** Others were in the way. */
        BUSY,
        /** More of it must be kept than is moved at once. */
        KEPT
    }

    /**
     * The result of an attempt to drop a partition.
     *
     * @param removed about how many executions are gone with it
     */
    public record Drop(Outcome outcome, long removed) {}

    private static final String DROP =
            "SELECT outcome, removed FROM history_drop_day($1::text, $2::timestamptz, $3::int)";

    // No execution can end while the drop has its locks, so the server closes a connection that is idle then.
    private static final String TERMS = """
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '1s'
            """;

    /**
     * Drops a partition whose last day was over at {@code end}. What ended later or is needed for other reasons moves
     * to that of what belongs to no day.
     */
    public Uni<Drop> drop(Partition partition, Instant end) {
        return database.withTransaction(transaction -> transaction
                        .query(TERMS)
                        .execute()
                        .chain(() ->
                                Database.on(transaction, DROP, Tuple.of(partition.suffix(), utc(end), MOST_MOVED))))
                .map(rows -> rows.iterator().next())
                .map(row -> new Drop(Outcome.valueOf(row.getString("outcome")), row.getLong("removed")));
    }
}
