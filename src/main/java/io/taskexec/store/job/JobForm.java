package io.taskexec.store.job;

import io.taskexec.store.dependency.JoinStatement;
import java.util.List;
import java.util.stream.IntStream;

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
 */
public record JobForm(
        boolean tagged, boolean keyed, boolean queued, boolean expiring, boolean dependent, boolean optioned) {
    /** Of jobs without anything of that. */
    public static final JobForm PLAIN = new JobForm(false, false, false, false, false, false);

    private static final int COMMON = 13;

    static JobForm of(List<NewJob> jobs) {
        return new JobForm(
                jobs.stream().anyMatch(job -> !job.tags().isEmpty()),
                jobs.stream().anyMatch(job -> job.flow() != null),
                jobs.stream().anyMatch(NewJob::namesQueue),
                jobs.stream().anyMatch(job -> !job.expiry().isNone()),
                jobs.stream().anyMatch(job -> job.dependencies() != null),
                jobs.stream().anyMatch(job -> !job.options().isNone()));
    }

    /** The form for the same jobs with parents. */
    JobForm withParents() {
        return new JobForm(tagged, keyed, queued, expiring, true, optioned);
    }

    /** All forms; each is at its {@link #index}. */
    static List<JobForm> all() {
        return IntStream.range(0, 64)
                .mapToObj(i -> new JobForm(
                        (i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0, (i & 16) != 0, (i & 32) != 0))
                .toList();
    }

    int index() {
        return (tagged ? 1 : 0)
                + (keyed ? 2 : 0)
                + (queued ? 4 : 0)
                + (expiring ? 8 : 0)
                + (dependent ? 16 : 0)
                + (optioned ? 32 : 0);
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
                + (optioned ? ", options" : "");
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
        return types.toString();
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
                        : "");
    }

    // The time to live of what waits for its parents begins when it is ready.
    String executionValues(String job, String runAt) {
        var ttl = dependent ? "CASE WHEN %1$s.rule IS NULL THEN %1$s.ttl_ms END".formatted(job) : job + ".ttl_ms";
        return (expiring ? """
            ,
              least(coalesce(%1$s.expires_at, %2$s + %3$s * interval '1 millisecond'), %1$s.deadline),
              %1$s.deadline""".formatted(job, runAt, ttl) : "") + (dependent ? """
            ,
              %1$s.rule, %1$s.open_parents, %1$s.succeeded, %1$s.failed, %1$s.skipped,
              %1$s.ready_delay_ms""".formatted(job) : "");
    }

    /** When an execution is due: what waits for its parents is not. */
    String visibleAt(String job, String time) {
        return dependent
                ? "CASE WHEN %s.rule IS NULL THEN %s ELSE %s END".formatted(job, time, JoinStatement.WAITING_TIME)
                : time;
    }
}
