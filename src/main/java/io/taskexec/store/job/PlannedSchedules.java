package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.Pause;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the schedules that have a tick in a time to come. */
@Singleton
public final class PlannedSchedules {
    private final Database database;

    public PlannedSchedules(Database database) {
        this.database = database;
    }

    /**
     * A schedule in force.
     *
     * @param end from when on it has no ticks; null for no end
     * @param firesLeft ticks that may still fire; null for any number
     * @param jitter each execution begins up to this much after its tick
     * @param pauses those that are not over, first to last
     */
    public record Planned(
            UUID jobId,
            UUID rootId,
            String endpoint,
            int queueId,
            Timetable timetable,
            Instant startsAt,
            @Nullable Instant end,
            @Nullable Long firesLeft,
            Duration jitter,
            List<Pause> pauses) {
        /** The same schedule with another timetable. */
        public Planned with(Timetable other) {
            return new Planned(jobId, rootId, endpoint, queueId, other, startsAt, end, firesLeft, jitter, pauses);
        }
    }

    // The index of schedules that are due has only those in force. Jobs are many more than schedules: each is looked up
    // by its key, whatever the planner thinks of it.
    private static final String SELECT = """
            SELECT s.job_id, s.root_id, j.endpoint, j.lane, s.ended_at, s.max_fires - s.fires AS fires_left,
                   p.pause_starts, p.pause_ends,
            """ + ScheduleColumns.SQL + """
            FROM schedules s
            JOIN LATERAL (SELECT endpoint, lane FROM jobs WHERE job_id = s.job_id LIMIT 1) AS j ON true
            LEFT JOIN (
              SELECT root_id, array_agg(paused_at ORDER BY paused_at) AS pause_starts,
                     array_agg(until ORDER BY paused_at) AS pause_ends
              FROM pauses WHERE until IS NULL OR until > now()
              GROUP BY root_id
            ) AS p ON p.root_id = s.root_id
            WHERE s.next_run_at < $1::timestamptz
            ORDER BY s.next_run_at
            LIMIT $2::bigint
            """;

    /** At most {@code limit} of those with a tick before {@code end}, the next ones first; none that is broken. */
    public Uni<List<Planned>> before(Instant end, int limit) {
        return database.run(SELECT, Tuple.of(utc(end), (long) limit)).map(rows -> {
            var found = new ArrayList<Planned>();
            for (var row : rows) {
                var timetable = ScheduleColumns.timetableOrNull(row);
                if (timetable != null) {
                    found.add(read(row, timetable));
                }
            }
            return found;
        });
    }

    private static Planned read(Row row, Timetable timetable) {
        return new Planned(
                row.getUUID("job_id"),
                row.getUUID("root_id"),
                row.getString("endpoint"),
                Lanes.queueId(row.getInteger("lane")),
                timetable,
                ScheduleColumns.startsAtOrEpoch(row),
                earlier(instantOrNull(row, "ends_at"), instantOrNull(row, "ended_at")),
                row.getLong("fires_left"),
                Duration.ofMillis(row.getLong("jitter_ms")),
                TickStore.pauses(
                        row.getArrayOfOffsetDateTimes("pause_starts"), row.getArrayOfOffsetDateTimes("pause_ends")));
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        return a == null || (b != null && b.isBefore(a)) ? b : a;
    }
}
