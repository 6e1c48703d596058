package io.taskexec.model.job;

import java.time.Instant;

/** Defines when a job fires. */
public sealed interface Trigger {
    /** Once, now. */
    record Immediate() implements Trigger {}

    /** Once, at the given time or as soon as possible after it. */
    record Delayed(Instant runAt) implements Trigger {}

    /** At every tick of a timetable that its policy lets fire. */
    record Scheduled(Timetable timetable, SchedulePolicy policy, ScheduleState state) implements Trigger {}

    /** The name used on the wire and in the store. */
    default String kind() {
        return switch (this) {
            case Immediate() -> "IMMEDIATE";
            case Delayed _ -> "DELAYED";
            case Scheduled scheduled -> kind(scheduled.timetable());
        };
    }

    /** The name of the trigger that has a timetable. */
    static String kind(Timetable timetable) {
        return switch (timetable) {
            case Timetable.Cron _ -> "CRON";
            case Timetable.Every _ -> "INTERVAL";
        };
    }
}
