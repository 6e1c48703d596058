package io.taskexec.store.job;

import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.sql.Lanes;
import java.util.List;

/**
 * The parts of the statement that creates jobs. What only some jobs have has parameters of its own: after those of all
 * jobs and in the order of this list.
 *
 * @param tagged whether a job has tags, which have no parameter of their own
 * @param keyed whether a job has a flow key: the ids and the texts of the keys
 * @param queued whether a job names its queue: the numbers of those queues
 * @param expiring whether a job may expire: the times to live, those of expiry and the deadlines
 * @param dependent whether a job has parents: the words and the numbers of the trigger rules, how many of the parents
 *     have not ended, have succeeded, failed and been skipped, and the delays from then on
 * @param optioned whether a job has settings: those
 * @param starting whether an execution is started as it is created: the workers and the milliseconds of the leases,
 *     null for what is not started, and one parameter more with the token of all leases
 */
public record JobForm(
        boolean tagged,
        boolean keyed,
        boolean queued,
        boolean expiring,
        boolean dependent,
        boolean optioned,
        boolean starting) {
    private static final int COMMON = 13;

    /** Returns the form of the statement that these jobs need. */
    public static JobForm of(List<NewJob> jobs) {
        return new JobForm(
                jobs.stream().anyMatch(job -> !job.tags().isEmpty()),
                jobs.stream().anyMatch(job -> job.flow() != null),
                jobs.stream().anyMatch(NewJob::namesQueue),
                jobs.stream().anyMatch(job -> !job.expiry().isNone()),
                jobs.stream().anyMatch(job -> job.dependencies() != null),
                jobs.stream().anyMatch(job -> !job.options().isNone()),
                false);
    }

    /** The form for the same jobs with parents. */
    JobForm withParents() {
        return new JobForm(tagged, keyed, queued, expiring, true, optioned, false);
    }

    /** Whether executions may be started as they are created: not where that takes more than a lease. */
    boolean mayStart() {
        return !keyed && !expiring && !dependent;
    }

    /** The form for the same jobs, of which some are started. */
    JobForm withStarts() {
        return new JobForm(tagged, keyed, queued, expiring, dependent, optioned, true);
    }

    /** The parameter with the numbers of queues. */
    String queues() {
        return "$" + (COMMON + (keyed ? 2 : 0) + 1);
    }

    /** The columns of jobs. */
    String jobColumns() {
        return plainColumns() + (optioned ? ", options" : "");
    }

    /** The values of these columns. */
    String jobValues() {
        return plainColumns() + (optioned ? ", options::json" : "");
    }

    private String plainColumns() {
        return (keyed ? ", flow_id, flow_key" : "")
                + (expiring ? ", ttl_ms, expires_at, deadline" : "")
                + (dependent ? ", trigger_rule" : "");
    }

    /** The columns of what is asked for. */
    String askedColumns() {
        return plainColumns()
                + (dependent ? ", rule, open_parents, succeeded, failed, skipped, ready_delay_ms" : "")
                + (optioned ? ", options" : "")
                + (starting ? ", worker_id, lease_ms" : "");
    }

    /** The worker that starts an execution: none while its queue is paused. */
    String starter() {
        return starting
                ? "CASE WHEN asked.worker_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM queues WHERE queue_id = "
                        + Lanes.queue("asked.lane") + " AND " + Lanes.IS_PAUSED
                        + ") THEN asked.worker_id END AS starter, "
                : "";
    }

    /** The parameters with what is asked for. */
    String askedArrays() {
        var types = new StringBuilder();
        var next = COMMON + 1;
        if (keyed) {
            types.append(arrays(next, "bigint", "text"));
            next += 2;
        }
        if (queued) {
            next++;
        }
        if (expiring) {
            types.append(arrays(next, "bigint", "timestamptz", "timestamptz"));
            next += 3;
        }
        if (dependent) {
            types.append(arrays(next, "text", "smallint", "smallint", "smallint", "smallint", "smallint", "bigint"));
            next += 7;
        }
        if (optioned) {
            types.append(arrays(next, "text"));
        }
        if (starting) {
            types.append(arrays(token() - 2, "uuid", "bigint"));
        }
        return types.toString();
    }

    private int token() {
        return COMMON + (queued ? 1 : 0) + (optioned ? 1 : 0) + 3;
    }

    private static String arrays(int first, String... types) {
        var arrays = new StringBuilder();
        for (var i = 0; i < types.length; i++) {
            arrays.append(", $%d::%s[]".formatted(first + i, types[i]));
        }
        return arrays.toString();
    }

    /** The columns of executions. */
    String executionColumns() {
        return (expiring ? ", expires_at, deadline" : "")
                + (dependent
                        ? ", trigger_rule, parents_open, parents_succeeded, parents_failed, parents_skipped,"
                                + " ready_delay_ms"
                        : "")
                + (starting ? ", lease_token, worker_id, started_at, attempt, config_version" : "");
    }

    // The time to live of what waits for its parents begins when it is ready.
    String executionValues(String job, String runAt) {
        var ttl = dependent ? "CASE WHEN %1$s.rule IS NULL THEN %1$s.ttl_ms END".formatted(job) : job + ".ttl_ms";
        return (expiring ? """
            ,
              least(coalesce(%1$s.expires_at, %2$s + %3$s * interval '1 millisecond'), %1$s.deadline),
              %1$s.deadline""".formatted(job, runAt, ttl) : "")
                + (dependent ? """
            ,
              %1$s.rule, %1$s.open_parents, %1$s.succeeded, %1$s.failed, %1$s.skipped,
              %1$s.ready_delay_ms""".formatted(job) : "")
                + (starting ? """
            ,
              CASE WHEN %1$s.starter IS NOT NULL THEN $%2$d::bigint END, %1$s.starter,
              CASE WHEN %1$s.starter IS NOT NULL THEN now() END,
              CASE WHEN %1$s.starter IS NOT NULL THEN 1 ELSE 0 END,
              CASE WHEN %1$s.starter IS NOT NULL AND EXISTS (SELECT 1 FROM configs) THEN (
                SELECT f.version FROM endpoint_versions v JOIN configs f ON f.name = v.config_ref
                WHERE v.name = %1$s.endpoint AND v.version = %1$s.version) END""".formatted(job, token()) : "");
    }

    /** When an execution is due, or its lease ends: what waits for its parents is not. */
    String visibleAt(String job, String time) {
        if (starting) {
            return "CASE WHEN %1$s.starter IS NULL THEN %2$s ELSE now() + %1$s.lease_ms * interval '1 millisecond' END"
                    .formatted(job, time);
        }
        return dependent
                ? "CASE WHEN %s.rule IS NULL THEN %s ELSE %s END".formatted(job, time, DependencyStatement.WAITING_TIME)
                : time;
    }
}
