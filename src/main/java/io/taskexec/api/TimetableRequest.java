package io.taskexec.api;

import io.taskexec.model.Timetable;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Interval;
import java.time.Instant;

/** Reads the fields that say when the ticks of a job are. */
final class TimetableRequest {
    private static final int MAX_TEXT = 64;

    private TimetableRequest() {}

    static Timetable cron(Fields fields) {
        return new Timetable.Cron(
                fields.text("cron", CronSchedule.MAX_LENGTH),
                fields.text("timezone", MAX_TEXT),
                DstRequest.read(fields));
    }

    /** Throws InvalidScheduleException. */
    static Timetable interval(Fields fields) {
        var every = fields.text("every", MAX_TEXT);
        return new Timetable.Every(
                every.isEmpty()
                        ? Interval.SHORTEST
                        : Interval.parse(every, Instant.EPOCH).every());
    }
}
