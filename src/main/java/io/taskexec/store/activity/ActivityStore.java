package io.taskexec.store.activity;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.activity.ActivityMinute;
import io.taskexec.model.activity.ActivityMinute.Depth;
import io.taskexec.model.activity.Latencies;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.TreeMap;
import java.util.UUID;

/** Keeps what was done minute by minute. */
@Singleton
public final class ActivityStore {
    /** How long minutes are kept. */
    public static final Duration KEPT = Duration.ofDays(7);

    /** Rows of one reading: an hour of 300 processes, or a day of 13. */
    private static final int MOST = 20_000;

    private final Database database;

    public ActivityStore(Database database) {
        this.database = database;
    }

    private static final String WRITE = """
            INSERT INTO activity_minutes (minute, process_id, created, ended, attempts, failures, latencies, waiting,
              running)
            VALUES ($1::timestamptz, $2::uuid, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::text::json,
              $8::bigint, $9::bigint)
            ON CONFLICT (minute, process_id) DO UPDATE
            SET created = excluded.created, ended = excluded.ended, attempts = excluded.attempts,
                failures = excluded.failures, latencies = excluded.latencies, waiting = excluded.waiting,
                running = excluded.running
            """;

    /** Writes what a process has done in a minute until now. */
    Uni<Void> write(UUID process, ActivityMinute minute) {
        var parameters = Tuple.tuple()
                .addValue(utc(minute.at()))
                .addUUID(process)
                .addLong(minute.created())
                .addLong(minute.ended())
                .addLong(minute.attempts())
                .addLong(minute.failures())
                .addString(Json.write(minute.latencies().toJson()))
                .addLong(minute.depth().waiting())
                .addLong(minute.depth().running());
        return database.run(WRITE, parameters).replaceWithVoid();
    }

    private static final String READ = """
            SELECT minute, created, ended, attempts, failures, latencies::text AS latencies, waiting, running
            FROM activity_minutes
            WHERE minute >= $1::timestamptz
            ORDER BY minute DESC
            LIMIT $2::bigint
            """;

    /** The minutes since a moment in which anything was done, oldest first, each the sum of all processes. */
    public Uni<Collection<ActivityMinute>> since(Instant from) {
        return database.run(READ, Tuple.of(utc(from), (long) MOST)).map(rows -> {
            var minutes = new TreeMap<Instant, ActivityMinute>();
            rows.forEach(row -> {
                var minute = read(row);
                minutes.merge(minute.at(), minute, ActivityMinute::plus);
            });
            return minutes.values();
        });
    }

    private static ActivityMinute read(Row row) {
        return new ActivityMinute(
                instant(row, "minute"),
                row.getLong("created"),
                row.getLong("ended"),
                row.getLong("attempts"),
                row.getLong("failures"),
                Latencies.of(Columns.json(row, "latencies")),
                new Depth(row.getLong("waiting"), row.getLong("running")));
    }

    private static final String REMOVE = """
            WITH old AS MATERIALIZED (
              SELECT minute, process_id FROM activity_minutes
              WHERE minute < $1::timestamptz
              ORDER BY minute
              LIMIT $2::bigint
            )
            DELETE FROM activity_minutes a USING old WHERE a.minute = old.minute AND a.process_id = old.process_id
            """;

    /** Removes at most {@code limit} rows of before a moment; returns how many. */
    public Uni<Integer> removeBefore(Instant end, int limit) {
        return database.run(REMOVE, Tuple.of(utc(end), (long) limit)).map(rows -> rows.rowCount());
    }
}
