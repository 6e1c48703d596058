package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;

/** Reads the sizes of growing tables from the statistics of the database: nothing is counted. */
@Singleton
public final class TableSizeStore {
    private final Database database;

    public TableSizeStore(Database database) {
        this.database = database;
    }

    /** About so many rows. */
    public record Size(String table, long rows) {}

    // A table that was never analyzed has -1 rows, or none that is known. One with partitions has the rows of these.
    private static final String SIZES = """
            SELECT c.relname::text AS name, sum(coalesce(part.reltuples, c.reltuples))::bigint AS rows
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_inherits i ON i.inhparent = c.oid
            LEFT JOIN pg_class part ON part.oid = i.inhrelid
            WHERE n.nspname = current_schema() AND coalesce(part.reltuples, c.reltuples) >= 0
              AND c.relname IN ('executions', 'attempts', 'ticks', 'jobs', 'idempotency_keys')
            GROUP BY c.relname
            """;

    /** The sizes that are known. */
    public Uni<List<Size>> sizes() {
        return database.run(SIZES, Tuple.tuple())
                .map(rows -> Columns.list(rows, row -> new Size(row.getString("name"), row.getLong("rows"))));
    }
}
