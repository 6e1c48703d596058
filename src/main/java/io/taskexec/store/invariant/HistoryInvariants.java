package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.HALF_A_DAY_AGO;
import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import java.util.List;

/** Invariants of jobs and of executions that have ended. Looked at are the newest of the last 12 hours. */
final class HistoryInvariants {
    private static final InvariantQuery JOBS = violation(
            "job_without_execution", "The execution of every one-shot job is in the queue or has ended.", """
            WITH recent AS MATERIALIZED (
              SELECT job_id, trigger_type FROM jobs WHERE job_id >= %s ORDER BY job_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM recent r
            WHERE r.trigger_type IN ('IMMEDIATE', 'DELAYED')
              AND (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = r.job_id) IS NULL
              AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = r.job_id) IS NULL
            """.formatted(
                            HALF_A_DAY_AGO, show("job_", "r.job_id")));

    private static final InvariantQuery EXECUTIONS =
            violation("ended_without_job", "Every execution that has ended has its job.", """
            WITH recent AS MATERIALIZED (
              SELECT execution_id, job_id FROM executions WHERE execution_id >= %s
              ORDER BY execution_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM recent r
            WHERE (SELECT j.job_id FROM jobs j WHERE j.job_id = r.job_id) IS NULL
            """.formatted(
                            HALF_A_DAY_AGO, show("exec_", "r.execution_id")));

    private static final InvariantQuery ATTEMPTS =
            violation("attempt_without_execution", "Every attempt has its execution.", """
            WITH recent AS MATERIALIZED (
              SELECT execution_id, attempt_number FROM attempts WHERE execution_id >= %s
              ORDER BY execution_id DESC LIMIT $1::bigint
            )
            SELECT %s || ' attempt ' || r.attempt_number::text AS id FROM recent r
            WHERE (SELECT l.execution_id FROM exec_live l WHERE l.execution_id = r.execution_id) IS NULL
              AND (SELECT x.execution_id FROM executions x WHERE x.execution_id = r.execution_id) IS NULL
            """.formatted(
                            HALF_A_DAY_AGO, show("exec_", "r.execution_id")));

    private static final InvariantQuery TAGS =
            violation("tag_without_job", "Every tag leads to a job.", """
            WITH few AS MATERIALIZED (SELECT tag, job_id FROM job_tags ORDER BY tag, job_id LIMIT $1::bigint)
            SELECT %s || ' ' || t.tag AS id FROM few t
            WHERE (SELECT j.job_id FROM jobs j WHERE j.job_id = t.job_id) IS NULL
            """.formatted(show("job_", "t.job_id")));

    private static final InvariantQuery SUPERSEDED = violation(
            "superseded_after_start",
            "What was superseded had not begun, and its job says by which job.",
            """
            WITH recent AS MATERIALIZED (
              SELECT execution_id, job_id, attempt_count FROM executions
              WHERE status = 'SUPERSEDED' AND execution_id >= %s
              ORDER BY execution_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM recent r
            WHERE r.attempt_count > 0
              OR (SELECT j.job_id FROM jobs j WHERE j.job_id = r.job_id AND j.replaced_by_id IS NULL) IS NOT NULL
            """.formatted(HALF_A_DAY_AGO, show("exec_", "r.execution_id")));

    private static final InvariantQuery REVISIONS = violation(
            "revision_of_no_version",
            "An execution whose job was changed carries out a version that the job has had.",
            """
            WITH few AS MATERIALIZED (
              SELECT execution_id, job_id, revision FROM exec_live ORDER BY execution_id DESC LIMIT $1::bigint
            )
            SELECT %s AS id FROM few f
            WHERE f.revision IS NOT NULL
              AND (SELECT j.job_id FROM jobs j WHERE j.job_id = f.job_id AND j.version >= f.revision) IS NULL
            """.formatted(show("exec_", "f.execution_id")));

    static final List<InvariantQuery> ALL = List.of(JOBS, EXECUTIONS, ATTEMPTS, TAGS, SUPERSEDED, REVISIONS);

    private HistoryInvariants() {}

    /** @param ttlHours how long keys last; an expired one is free to be removed */
    static InvariantQuery keys(int ttlHours) {
        return violation("key_without_job", "Every idempotency key that has not expired leads to a job.", """
                WITH few AS MATERIALIZED (
                  SELECT endpoint, idempotency_key, job_id, created_at FROM idempotency_keys
                  ORDER BY endpoint, idempotency_key LIMIT $1::bigint
                )
                SELECT k.endpoint || ' ' || k.idempotency_key AS id FROM few k
                WHERE k.created_at > now() - interval '%d hours'
                  AND (SELECT j.job_id FROM jobs j WHERE j.job_id = k.job_id) IS NULL
                """.formatted(
                        ttlHours));
    }
}
