package io.taskexec.model.job;

import java.time.Duration;

/** Defines the ticks of a schedule: a cron expression or an interval. */
public sealed interface Timetable {
    /**
     * Whenever the clock of a zone fits an expression.
     *
     * @param timezone an IANA zone
     * @param dst what becomes of ticks at changes of the clock
     */
    record Cron(String expression, String timezone, DstPolicy dst) implements Timetable {}

    /** At the start of the schedule and again and again after this much time. */
    record Every(Duration every) implements Timetable {}
}
