package io.taskexec.store.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Registers worker processes, and reclaims the work of silent ones. */
@Singleton
public final class WorkerStore {
    private final Database database;
    private final DueSignal dueSignal;

    public WorkerStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
    }

    private static final String BEAT = """
            INSERT INTO workers (worker_id, host, region, started_at, last_seen_at, slots, used_slots, activity,
              pressure, pressure_at)
            VALUES ($1::uuid, $2::text, $3::text, pg_catalog.now(), pg_catalog.now(), $4::int, $5::int, $6::text::json,
              $7::text::json, pg_catalog.now())
            ON CONFLICT (worker_id) DO UPDATE
            SET last_seen_at = excluded.last_seen_at, slots = excluded.slots, used_slots = excluded.used_slots,
                activity = excluded.activity, pressure = excluded.pressure, pressure_at = excluded.pressure_at
            """;

    /** Says that a worker is alive, what it does, and the pressure from 0 to 1 of each source that it measures. */
    public Uni<Void> beat(
            UUID workerId, String host, HomeRegion region, WorkerActivity activity, Map<String, Double> pressure) {
        var values = JsonNodeFactory.instance.objectNode();
        new TreeMap<>(pressure).forEach(values::put);
        var parameters = Tuple.tuple()
                .addUUID(workerId)
                .addString(host)
                .addString(region.name())
                .addInteger(activity.slots())
                .addInteger(activity.usedSlots())
                .addString(Json.write(activity.toJson()))
                .addString(Json.write(values));
        return database.beat(BEAT, parameters);
    }

    private static final String LEAVE = "DELETE FROM workers WHERE worker_id = $1::uuid";

    /** Says that a worker has stopped in good order. */
    public Uni<Void> leave(UUID workerId) {
        return database.run(LEAVE, Tuple.of(workerId)).replaceWithVoid();
    }

    private static final String SILENT = """
            SELECT worker_id FROM workers
            WHERE last_seen_at < pg_catalog.now() - $1::bigint * interval '1 millisecond'
            """;

    /**
     * The workers that have not been heard of for this long; none as long as they may have had nowhere to write to,
     * since then the silence is the database's.
     */
    public Uni<List<UUID>> silentFor(Duration silence) {
        if (database.hadOutageWithin(silence)) {
            return Uni.createFrom().item(List.of());
        }
        return database.run(SILENT, Tuple.of(silence.toMillis()))
                .map(rows -> Columns.list(rows, row -> row.getUUID("worker_id")));
    }

    private static final String CLOCK = "SELECT pg_catalog.now() AS at";

    /** The clock by which workers are silent, which no virtual clock moves. */
    public Uni<Instant> clock() {
        return database.run(CLOCK, Tuple.tuple())
                .map(rows -> Columns.instant(rows.iterator().next(), "at"));
    }

    // The lease stays on the row, so that the next claim sees that an attempt was lost. Workers die rarely, and only
    // then is this scan made: an index by worker would have to be kept up by every claim.
    private static final String EXPIRE_LEASES = """
            UPDATE exec_live SET visible_at = now()
            WHERE worker_id = ANY($1::uuid[]) AND lease_token IS NOT NULL AND visible_at > now()
            """;

    // Asked once more here, where the row is locked: a worker may have been heard of since it was found silent.
    private static final String DELETE = """
            DELETE FROM workers
            WHERE worker_id = ANY($1::uuid[])
              AND last_seen_at < pg_catalog.now() - $2::bigint * interval '1 millisecond'
            RETURNING worker_id
            """;

    /**
     * Forgets those of the workers that are still silent and makes their work due at once; returns how many executions
     * those were.
     */
    public Uni<Integer> reclaim(List<UUID> dead, Duration silence) {
        var parameters = Tuple.tuple().addValue(dead.toArray(UUID[]::new)).addLong(silence.toMillis());
        return database.withTransaction(transaction -> Database.on(transaction, DELETE, parameters)
                        .map(rows -> Columns.list(rows, row -> row.getUUID("worker_id"))
                                .toArray(UUID[]::new))
                        .chain(gone -> Database.on(
                                transaction, EXPIRE_LEASES, Tuple.tuple().addValue(gone)))
                        .map(rows -> rows.rowCount()))
                .invoke(dueSignal::raise);
    }
}
