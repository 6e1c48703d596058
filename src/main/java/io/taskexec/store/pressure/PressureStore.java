package io.taskexec.store.pressure;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.LimitReachedException;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Signals of pressure from outside, which all workers follow, and what workers tell of theirs with heartbeats. */
@Singleton
public final class PressureStore {
    /** Each worker reads all signals every few seconds. */
    public static final int MAX_SIGNALS = 50;

    /** More workers than these are not shown. */
    private static final int MOST_WORKERS = 200;

    private final Database database;

    public PressureStore(Database database) {
        this.database = database;
    }

    // One after the other, so that they can be counted.
    private static final String LOCK = "SELECT value FROM epochs WHERE name = 'pressure' FOR UPDATE";

    private static final String DELETE_EXPIRED = "DELETE FROM pressure_signals WHERE expires_at <= now()";

    private static final String UPDATE = """
            UPDATE pressure_signals
            SET value = $2::float8, set_at = now(), expires_at = now() + $3::bigint * interval '1 millisecond'
            WHERE source = $1::text AND expires_at > now()
            """;

    private static final String INSERT = """
            INSERT INTO pressure_signals (source, value, set_at, expires_at)
            SELECT $1::text, $2::float8, now(), now() + $3::bigint * interval '1 millisecond'
            WHERE (SELECT count(*) FROM pressure_signals) < $4::bigint
            ON CONFLICT (source) DO NOTHING
            """;

    /**
     * Sets a signal for a time; returns whether there was none of this source. Fails with {@link
     * LimitReachedException}.
     */
    public Uni<Boolean> set(String source, double value, Duration time) {
        var signal = Tuple.of(source, value, time.toMillis());
        // A signal that is told again changes its own row and nothing else. A row that expires between the statements
        // is found by neither, is removed first, and inserted again.
        return database.run(UPDATE, signal)
                .chain(rows -> rows.rowCount() > 0
                        ? Uni.createFrom().item(false)
                        : database.withTransaction(transaction -> add(transaction, source, value, time)));
    }

    // Locks the row of epochs first, which all who add wait for, then expired rows and its own. Each statement has a
    // snapshot of its own, so the count is of all that others have added.
    private static Uni<Boolean> add(SqlConnection transaction, String source, double value, Duration time) {
        var signal = Tuple.of(source, value, time.toMillis());
        return Database.on(transaction, LOCK, Tuple.tuple())
                .chain(() -> Database.on(transaction, DELETE_EXPIRED, Tuple.tuple()))
                .chain(() -> Database.on(transaction, UPDATE, signal))
                .chain(updated -> updated.rowCount() > 0
                        ? Uni.createFrom().item(false)
                        : Database.on(transaction, INSERT, Tuple.of(source, value, time.toMillis(), (long) MAX_SIGNALS))
                                .map(inserted -> {
                                    if (inserted.rowCount() == 0) {
                                        throw new LimitReachedException(
                                                "There are signals of " + MAX_SIGNALS + " sources already.");
                                    }
                                    return true;
                                }));
    }

    private static final String DELETE =
            "DELETE FROM pressure_signals WHERE source = $1::text RETURNING expires_at > now() AS counted";

    /** Removes a signal; returns whether there was one that still counted. */
    public Uni<Boolean> clear(String source) {
        return database.run(DELETE, Tuple.of(source))
                .map(rows -> rows.rowCount() > 0 && rows.iterator().next().getBoolean("counted"));
    }

    private static final String SELECT_SIGNALS = """
            SELECT source, value, ceil(extract(epoch FROM now() - set_at) * 1000)::bigint AS age_ms,
              ceil(extract(epoch FROM expires_at - now()) * 1000)::bigint AS remaining_ms
            FROM pressure_signals
            WHERE expires_at > now()
            ORDER BY source
            """;

    /** The signals that count now. */
    public Uni<List<PressureReading>> signals() {
        return database.run(SELECT_SIGNALS, Tuple.tuple()).map(rows -> Columns.list(rows, PressureStore::signal));
    }

    private static PressureReading signal(Row row) {
        return new PressureReading(
                row.getString("source"),
                row.getDouble("value"),
                null,
                null,
                Duration.ofMillis(row.getLong("age_ms")),
                Duration.ofMillis(row.getLong("remaining_ms")));
    }

    private static final String SELECT_WORKERS = """
            SELECT worker_id, host, pressure::text AS pressure,
              ceil(extract(epoch FROM pg_catalog.now() - pressure_at) * 1000)::bigint AS age_ms
            FROM workers
            WHERE pressure_at IS NOT NULL
            ORDER BY worker_id
            LIMIT $1::bigint
            """;

    /** Everything that is told now: the signals, and what each worker has told of itself. */
    public Uni<List<PressureReading>> all() {
        return signals()
                .chain(signals -> database.run(SELECT_WORKERS, Tuple.of((long) MOST_WORKERS))
                        .map(rows -> {
                            var all = new ArrayList<>(signals);
                            rows.forEach(row -> all.addAll(measured(row)));
                            return List.copyOf(all);
                        }));
    }

    private static List<PressureReading> measured(Row row) {
        return Columns.json(row, "pressure").properties().stream()
                .map(source -> new PressureReading(
                        source.getKey(),
                        source.getValue().asDouble(),
                        row.getUUID("worker_id"),
                        row.getString("host"),
                        Duration.ofMillis(row.getLong("age_ms")),
                        null))
                .toList();
    }
}
