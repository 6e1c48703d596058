package io.taskexec.store.worker;

import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what worker processes tell of themselves. */
@Singleton
public final class WorkerList {
    /** More workers are counted, and not read. */
    private static final int MOST = 200;

    private final Database database;

    public WorkerList(Database database) {
        this.database = database;
    }

    /**
     * A worker process.
     *
     * @param activity null of a worker that has not told any, as those of an older version
     * @param pressure by source; empty when the worker told none
     * @param isHeardOf whether its last heartbeat is from within a minute
     */
    public record Member(
            UUID id,
            String host,
            String region,
            Instant startedAt,
            Instant lastSeenAt,
            boolean isHeardOf,
            @Nullable WorkerActivity activity,
            Map<String, Double> pressure) {}

    /**
     * The workers, those with the most used slots first.
     *
     * @param total all of them, also those that were not read
     * @param slots of all
     * @param usedSlots of all
     */
    public record Fleet(List<Member> members, long total, long slots, long usedSlots) {}

    // The table has one small row for each process that lives.
    private static final String SELECT = """
            SELECT worker_id, host, region, started_at, last_seen_at,
              last_seen_at > pg_catalog.now() - interval '1 minute' AS heard_of,
              slots, used_slots, activity::text AS activity, pressure::text AS pressure,
              count(*) OVER () AS total,
              coalesce(sum(slots) OVER (), 0)::bigint AS all_slots,
              coalesce(sum(used_slots) OVER (), 0)::bigint AS all_used_slots
            FROM workers
            ORDER BY coalesce(used_slots, 0) DESC, worker_id
            LIMIT $1::bigint
            """;

    /** Reads the fleet. */
    public Uni<Fleet> read() {
        return database.run(SELECT, Tuple.of((long) MOST)).map(rows -> {
            var members = Columns.list(rows, WorkerList::member);
            var first = Columns.first(rows, row -> row);
            return first == null
                    ? new Fleet(members, 0, 0, 0)
                    : new Fleet(
                            members,
                            first.getLong("total"),
                            first.getLong("all_slots"),
                            first.getLong("all_used_slots"));
        });
    }

    private static Member member(Row row) {
        var activity = Columns.jsonOrNull(row, "activity");
        var pressure = Columns.jsonOrNull(row, "pressure");
        return new Member(
                row.getUUID("worker_id"),
                row.getString("host"),
                row.getString("region"),
                instant(row, "started_at"),
                instant(row, "last_seen_at"),
                row.getBoolean("heard_of"),
                activity == null
                        ? null
                        : WorkerActivity.of(row.getInteger("slots"), row.getInteger("used_slots"), activity),
                pressure == null
                        ? Map.of()
                        : pressure.properties().stream()
                                .collect(Collectors.toMap(
                                        Map.Entry::getKey,
                                        source -> source.getValue().asDouble())));
    }
}
