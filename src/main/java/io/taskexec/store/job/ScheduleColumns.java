package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;

import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The columns that say what a schedule is, of schedules as s. */
final class ScheduleColumns {
    static final String SQL = """
            s.cron_expression, s.timezone, s.every_ms, s.starts_at, s.ends_at, s.max_fires, s.catch_up,
              s.catch_up_max, s.catch_up_window_ms, s.overlap, s.dst_gap, s.dst_overlap, s.jitter_ms
            """;

    private ScheduleColumns() {}

    static Timetable timetable(Row row) {
        var every = row.getLong("every_ms");
        if (every != null) {
            return new Timetable.Every(Duration.ofMillis(every));
        }
        var dst = new DstPolicy(
                DstPolicy.Gap.valueOf(row.getString("dst_gap")),
                DstPolicy.Overlap.valueOf(row.getString("dst_overlap")));
        return new Timetable.Cron(row.getString("cron_expression"), row.getString("timezone"), dst);
    }

    /** For those who have nothing to do with a schedule that cannot be read: it is set aside when it is due. */
    static @Nullable Timetable timetableOrNull(Row row) {
        try {
            return instantOrNull(row, "starts_at") == null ? null : timetable(row);
        } catch (RuntimeException _) {
            return null;
        }
    }

    /** Goes with {@link #timetableOrNull}, which returns null where there is no start. */
    static Instant startsAtOrEpoch(Row row) {
        var startsAt = instantOrNull(row, "starts_at");
        return startsAt == null ? Instant.EPOCH : startsAt;
    }

    static SchedulePolicy policy(Row row) {
        var catchUp = new CatchUp(
                CatchUp.Mode.valueOf(row.getString("catch_up")),
                row.getInteger("catch_up_max"),
                durationOrNull(row, "catch_up_window_ms"));
        return new SchedulePolicy(
                instant(row, "starts_at"),
                instantOrNull(row, "ends_at"),
                row.getInteger("max_fires"),
                catchUp,
                Overlap.valueOf(row.getString("overlap")),
                Duration.ofMillis(row.getLong("jitter_ms")));
    }
}
