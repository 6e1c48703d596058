package io.taskexec.store;

import static io.taskexec.store.InvariantQuery.HALF_A_DAY_AGO;
import static io.taskexec.store.InvariantQuery.show;
import static io.taskexec.store.InvariantQuery.violation;
import static io.taskexec.store.InvariantQuery.warning;

import java.util.List;

/** What holds of schedules. Looked at are the newest ones, and of the jobs the newest of the last 12 hours. */
final class ScheduleInvariants {
    private static final String SCHEDULE = "SELECT " + show("job_", "s.job_id") + " AS id FROM ";

    private static final String NEWEST = "(SELECT * FROM schedules ORDER BY job_id DESC LIMIT $1::bigint) AS s ";

    private static final InvariantQuery WITHOUT_JOB = violation(
            "schedule_without_job",
            "Every schedule has its job.",
            SCHEDULE + NEWEST + "WHERE (SELECT j.job_id FROM jobs j WHERE j.job_id = s.job_id) IS NULL");

    private static final InvariantQuery WITHOUT_SCHEDULE =
            violation("job_without_schedule", "Every job that repeats has its schedule.", """
            WITH recent AS MATERIALIZED (
              SELECT job_id, trigger_type FROM jobs WHERE job_id >= %s ORDER BY job_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM recent r
            WHERE r.trigger_type IN ('CRON', 'INTERVAL')
              AND (SELECT s.job_id FROM schedules s WHERE s.job_id = r.job_id) IS NULL
            """.formatted(
                            HALF_A_DAY_AGO, show("job_", "r.job_id")));

    private static final InvariantQuery STOPPED = violation(
            "schedule_stopped", "A schedule without a next tick has ended or was set aside.", SCHEDULE + NEWEST + """
            WHERE s.next_run_at IS NULL AND s.ended_at IS NULL AND s.set_aside_reason IS NULL
              AND (SELECT j.job_id FROM jobs j WHERE j.job_id = s.job_id AND j.retired_at IS NULL) IS NOT NULL
            """);

    // Measured by when a scheduler was last seen to live, and not by now: while none runs, nobody moves schedules.
    private static final InvariantQuery STALLED = violation(
            "schedule_stalled",
            "While a scheduler lives, it decides about a tick within a minute.",
            SCHEDULE + """
            (SELECT job_id, next_run_at FROM schedules WHERE next_run_at IS NOT NULL
              ORDER BY next_run_at LIMIT $1::bigint) AS s
            WHERE s.next_run_at < (SELECT max(last_beat_at) FROM region_heartbeats WHERE component = '%s')
              - interval '60 seconds'
            """.formatted(HeartbeatStore.SETTLED));

    private static final InvariantQuery SET_ASIDE = warning(
            "schedule_set_aside",
            "No schedule in force was set aside because it cannot be moved on.",
            SCHEDULE + NEWEST + """
            WHERE s.set_aside_reason IS NOT NULL
              AND (SELECT j.job_id FROM jobs j WHERE j.job_id = s.job_id AND j.retired_at IS NULL) IS NOT NULL
            """);

    static final List<InvariantQuery> ALL = List.of(WITHOUT_JOB, WITHOUT_SCHEDULE, STOPPED, STALLED, SET_ASIDE);

    private ScheduleInvariants() {}
}
