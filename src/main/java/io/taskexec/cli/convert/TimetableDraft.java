package io.taskexec.cli.convert;

import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Interval;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Sets when the job of a draft fires, and finds out whether it still can. */
record TimetableDraft(Draft draft, Instant now) {
    /** Sets a cron expression; the name {@code utc} in any case means UTC. */
    void cron(String expression, String zone, @Nullable Instant startsAt, @Nullable Instant endsAt)
            throws NoEquivalentException {
        var timezone = zone.equalsIgnoreCase("utc") ? "UTC" : zone;
        draft.job().put("cron", expression).put("timezone", timezone);
        try {
            bound(CronSchedule.parse(expression, timezone), startsAt, endsAt);
        } catch (InvalidScheduleException e) {
            throw new NoEquivalentException(e.getMessage() + ".");
        }
    }

    /** Sets an interval. */
    void every(Duration interval, @Nullable Instant startsAt, @Nullable Instant endsAt) throws NoEquivalentException {
        draft.job().put("every", interval.toString());
        try {
            bound(new Interval(interval, startsAt == null ? now : startsAt), startsAt, endsAt);
        } catch (InvalidScheduleException e) {
            throw new NoEquivalentException(e.getMessage() + ".");
        }
    }

    private void bound(Schedule schedule, @Nullable Instant startsAt, @Nullable Instant endsAt)
            throws NoEquivalentException {
        if (startsAt != null) {
            draft.job().put("starts_at", startsAt.toString());
        }
        if (endsAt != null) {
            draft.job().put("ends_at", endsAt.toString());
            var from = startsAt != null && startsAt.isAfter(now) ? startsAt : now;
            var next = schedule.nextTick(from.minusNanos(1));
            if (next == null || !next.at().isBefore(endsAt)) {
                throw new NoEquivalentException("it has ended.");
            }
        }
    }
}
