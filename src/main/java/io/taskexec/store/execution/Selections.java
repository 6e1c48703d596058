package io.taskexec.store.execution;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Lanes;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The conditions that a selection of executions puts on a row, called e, of exec_live or of executions. */
public final class Selections {
    // Of a bare comparison the planner thinks that hardly any row satisfies it, and sorts everything; of a CASE it does
    // not, and reads an index in the order of the list until the page is full.
    private static final String IN_QUEUE = """
            CASE WHEN %s = (SELECT q.queue_id FROM queues q WHERE q.name = ?::text) THEN true ELSE false END
            """.formatted(Lanes.queue("e.lane"));

    // Subqueries with one value: of EXISTS the planner may make a join, and read all jobs of an endpoint for it.
    private static final String OF_ENDPOINT =
            "(SELECT o.endpoint FROM jobs o WHERE o.job_id = e.job_id) IS NOT DISTINCT FROM ?::text";

    private static final String TAGGED =
            "(SELECT t.job_id FROM job_tags t WHERE t.job_id = e.job_id AND t.tag = ?::text) IS NOT NULL";

    private static final String REPLAYED =
            "((SELECT p.execution_id FROM replays p WHERE p.execution_id = e.execution_id) IS NOT NULL)";

    private Selections() {}

    /** Whether executions that have ended may be among those wanted. */
    static boolean wantsHistory(ExecutionSelection wanted) {
        return wanted.status() == null || wanted.status().isFinal();
    }

    /** Whether executions that have not ended may be among those wanted. */
    static boolean wantsLive(ExecutionSelection wanted) {
        return wanted.status() == null
                ? wanted.errorType() == null && wanted.retried() == null
                : !wanted.status().isFinal();
    }

    /**
     * Adds the conditions that an index finds: ids are UUIDv7, so that a range of them is a range of times of creation.
     */
    public static void addIndexed(Conditions conditions, ExecutionSelection wanted) {
        conditions
                .and("e.execution_id >= ?::uuid", floor(wanted.createdFrom()))
                .and("e.execution_id < ?::uuid", floor(wanted.createdBefore()));
        var status = wanted.errorType() == null ? wanted.status() : ExecutionStatus.FAILED;
        if (status != null && status.isFinal()) {
            // Not as a parameter: the planner must see that a partial index has all of them.
            conditions.andWhen(true, "e.status = '" + status.name() + "'");
        }
        var errorType = wanted.errorType();
        conditions.and("e.error ->> 'type' = ?::text", errorType == null ? null : errorType.name());
    }

    /** Adds the condition on the status of executions that have not ended, which the row itself says. */
    public static void addLiveStatus(Conditions conditions, ExecutionSelection wanted) {
        var status = wanted.status();
        if (status != null && !status.isFinal()) {
            conditions.andWhen(true, "'" + status.name() + "' = " + ExecutionStore.liveStatus("e"));
        }
    }

    /** Adds the conditions that are looked up for each row. */
    public static void addOthers(Conditions conditions, ExecutionSelection wanted) {
        conditions
                .and(IN_QUEUE, wanted.queue())
                .and(OF_ENDPOINT, wanted.endpoint())
                .and(TAGGED, wanted.tag());
        if (wanted.retried() != null) {
            conditions.andWhen(true, wanted.retried() ? REPLAYED : "NOT " + REPLAYED);
        }
    }

    /** Whether there are conditions of which each row is asked. */
    static boolean asksEach(ExecutionSelection wanted) {
        return (wanted.status() != null && !wanted.status().isFinal())
                || wanted.queue() != null
                || asksOtherTables(wanted);
    }

    /** Whether another table is asked about each row. */
    static boolean asksOtherTables(ExecutionSelection wanted) {
        return wanted.endpoint() != null || wanted.tag() != null || wanted.retried() != null;
    }

    private static @Nullable UUID floor(@Nullable Instant time) {
        return time == null ? null : Uuid7.floor(time);
    }
}
