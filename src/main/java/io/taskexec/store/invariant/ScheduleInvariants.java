package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.HALF_A_DAY_AGO;
import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;
import static io.taskexec.store.invariant.InvariantQuery.warning;

import io.taskexec.store.region.HeartbeatStore;
import java.util.List;

/** Invariants of schedules. Looked at are the newest ones, and of the jobs the newest of the last 12 hours. */
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

    // Measured by when a scheduler was last seen to live, and not by now: while none runs, schedules do not move.
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

    // That two versions have taken the place of one cannot be mended, so that it is found for half a day only; that
    // both of them tick is found until one is cancelled.
    private static final InvariantQuery FORKED = violation(
            "schedule_forked",
            "A schedule has one version in force at most, and each version one successor.",
            """
            WITH newest AS MATERIALIZED (
              SELECT s.job_id, s.root_id,
                (SELECT j.previous_version_id FROM jobs j WHERE j.job_id = s.job_id) AS previous,
                (SELECT j.job_id FROM jobs j WHERE j.job_id = s.job_id AND j.retired_at IS NULL) AS in_force
              FROM schedules s
              ORDER BY s.job_id DESC
              LIMIT $1::bigint
            )
            SELECT %s AS id FROM (
              SELECT job_id, previous, in_force, count(in_force) OVER (PARTITION BY root_id) AS versions,
                count(*) OVER (PARTITION BY previous) AS successors
              FROM newest
            ) AS n
            WHERE (n.in_force IS NOT NULL AND n.versions > 1)
              OR (n.previous IS NOT NULL AND n.successors > 1 AND n.job_id >= %s)
            """.formatted(show("job_", "n.job_id"), HALF_A_DAY_AGO));

    static final List<InvariantQuery> ALL = List.of(WITHOUT_JOB, WITHOUT_SCHEDULE, STOPPED, STALLED, SET_ASIDE, FORKED);

    private ScheduleInvariants() {}
}
