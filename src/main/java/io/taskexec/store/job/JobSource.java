package io.taskexec.store.job;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.JobStatus;
import io.taskexec.store.job.JobStore.Filter;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Lanes;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The index by which a list of jobs is read in the order of their ids: it has the fewest beside those wanted. */
enum JobSource {
    SCHEDULES("schedules d", "d.job_id"),
    /** Executions of ticks and retries are among them, whose ids are those of no jobs. */
    ACTIVE("(SELECT execution_id AS job_id FROM exec_live UNION ALL SELECT job_id FROM schedules) AS d", "d.job_id"),
    TAGGED("job_tags d", "d.job_id"),
    OF_ENDPOINT("jobs j", "j.job_id"),
    ALL("jobs j", "j.job_id");

    private static final Set<String> REPEATED = Set.of("CRON", "INTERVAL");

    // As a join, the planner might read all jobs for it.
    private static final String EACH_JOB = ", LATERAL (SELECT o.* FROM jobs o WHERE o.job_id = d.job_id OFFSET 0) AS j";

    // Of a bare comparison the planner thinks that hardly any row satisfies it.
    private static final String IN_QUEUE = """
            CASE WHEN %s = (SELECT q.queue_id FROM queues q WHERE q.name = ?::text) THEN true ELSE false END
            """.formatted(Lanes.queue("j.lane"));

    private static final String HAS_TAG =
            "(SELECT t.job_id FROM job_tags t WHERE t.job_id = j.job_id AND t.tag = ?::text) IS NOT NULL";

    private static final String IS_ACTIVE = """
            CASE WHEN j.trigger_type IN ('CRON', 'INTERVAL') THEN j.retired_at IS NULL
              ELSE (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = j.job_id) IS NOT NULL END
            """;

    private final String table;
    private final String id;

    JobSource(String table, String id) {
        this.table = table;
        this.id = id;
    }

    static JobSource of(Filter filter) {
        if (filter.trigger() != null && REPEATED.contains(filter.trigger())) {
            return SCHEDULES;
        }
        if (filter.status() == JobStatus.ACTIVE) {
            return ACTIVE;
        }
        return filter.tag() != null ? TAGGED : filter.endpoint() != null ? OF_ENDPOINT : ALL;
    }

    String id() {
        return id;
    }

    /** What is read, with the jobs as {@code j}. */
    String from() {
        return isOfJobs() ? table : table + EACH_JOB;
    }

    private boolean isOfJobs() {
        return this == OF_ENDPOINT || this == ALL;
    }

    /** The conditions that the index knows. Ids are UUIDv7: a range of them is a range of times of creation. */
    Conditions conditions(Filter filter, @Nullable UUID after) {
        return new Conditions()
                .and(id + " < ?::uuid", after)
                .and(id + " >= ?::uuid", floor(filter.createdFrom()))
                .and(id + " < ?::uuid", floor(filter.createdBefore()))
                .and("d.tag = ?::text", this == TAGGED ? filter.tag() : null)
                .and("j.endpoint = ?::text", this == OF_ENDPOINT ? filter.endpoint() : null);
    }

    /** Whether there are conditions of which each job is asked. */
    boolean asksEach(Filter filter) {
        return filter.queue() != null
                || filter.trigger() != null
                || filter.status() != null
                || (filter.tag() != null && filter.endpoint() != null);
    }

    /** Whether another table is asked about each job. */
    boolean asksOtherTables(Filter filter) {
        return !isOfJobs() || filter.tag() != null || filter.status() != null;
    }

    void addOthers(Conditions conditions, Filter filter) {
        conditions
                .and(IN_QUEUE, filter.queue())
                .and("j.trigger_type = ?::text", filter.trigger())
                .and(HAS_TAG, this == TAGGED ? null : filter.tag())
                .and("j.endpoint = ?::text", this == OF_ENDPOINT ? null : filter.endpoint())
                .andWhen(filter.status() == JobStatus.ACTIVE, IS_ACTIVE)
                .andWhen(filter.status() == JobStatus.RETIRED, "NOT " + IS_ACTIVE);
    }

    /** Finds the last of so many, of which the parameter is one less. */
    String lastSql(Conditions conditions) {
        return "SELECT " + id + " FROM " + table + "\n" + conditions.where() + "ORDER BY " + id
                + " DESC LIMIT 1 OFFSET " + conditions.next() + "::bigint";
    }

    private static @Nullable UUID floor(@Nullable Instant time) {
        return time == null ? null : Uuid7.floor(time);
    }
}
