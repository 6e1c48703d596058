package io.taskexec.schedule;

import io.taskexec.model.job.Timetable;
import java.time.Instant;

/** Makes schedules of timetables. */
public final class Schedules {
    private Schedules() {}

    /**
     * Throws InvalidScheduleException.
     *
     * @param startsAt from where intervals are counted
     * @param seed decides the values of {@code H}
     */
    public static Schedule of(Timetable timetable, Instant startsAt, long seed) {
        return switch (timetable) {
            case Timetable.Cron cron ->
                CronSchedule.parse(cron.expression(), cron.timezone(), seed).with(cron.dst());
            case Timetable.Every every -> new Interval(every.every(), startsAt);
        };
    }
}
