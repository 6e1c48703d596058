package io.taskexec.store.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import io.taskexec.model.Output;
import io.taskexec.model.PublicId;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.sql.Lanes;
import org.jspecify.annotations.Nullable;

/**
 * The job that carries the result of an execution to the endpoint that is to get it. The statement that ends the
 * execution creates it, so that there is exactly one for each end.
 */
final class ResultCallback {
    /**
     * Parts of a statement after {@code ended}, the ended executions with their places {@code n} and their
     * {@code status}; the ids of the jobs are in $7, their inputs in $8 and their traces in $9. The job has the
     * priority of the one before, the time to live of its queue, and is on the version of its endpoint that is
     * current. An endpoint that was deleted since gets nothing, and none is deleted until this is committed.
     */
    static final String CREATE = """
            , callbacks AS MATERIALIZED (
              SELECT ended.execution_id, ended.region, ($7::uuid[])[ended.n] AS id, ($8::text[])[ended.n] AS input,
                ($9::text[])[ended.n] AS trace, e.name, e.version,
                %1$s + %2$s AS lane,
                (SELECT p.own_flow_id FROM flow_policies p WHERE p.endpoint = e.name) AS flow_id,
                (SELECT q.ttl_ms FROM queues q WHERE q.queue_id = target.queue_id) AS ttl_ms
              FROM ended
              JOIN jobs j ON j.job_id = ended.job_id
              JOIN endpoint_versions v
                ON v.name = j.endpoint AND v.version = coalesce(ended.endpoint_version, j.endpoint_version)
              JOIN endpoints e ON e.name = CASE ended.status
                WHEN 'SUCCESS' THEN coalesce(v.on_success, j.options -> 'workflow' ->> 'on_success')
                ELSE coalesce(v.on_failure, j.options -> 'workflow' ->> 'on_failure') END
              JOIN endpoint_versions target ON target.name = e.name AND target.version = e.version
              WHERE j.callback_of IS NULL
              FOR KEY SHARE OF e
            ), callback_jobs AS (
              INSERT INTO jobs (job_id, region, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input,
                created_at, callback_of, trace, flow_id, flow_key, ttl_ms)
              SELECT id, region, name, version, 'IMMEDIATE', %3$s, 'callback-' || execution_id::text, input::json,
                now(), execution_id, trace, flow_id, CASE WHEN flow_id IS NOT NULL THEN '' END, ttl_ms
              FROM callbacks
            ), callback_executions AS (
              INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
                flow_id, flow_line, expires_at)
              SELECT id, id, region, %3$s, now(), now(), now(), flow_id,
                CASE WHEN flow_id IS NOT NULL THEN lane & 7 END, now() + ttl_ms * interval '1 millisecond'
              FROM callbacks
            )
            """.formatted(
            Lanes.firstOfQueue("target.queue_id"), Lanes.withinQueue("ended.lane"), Lanes.withKey("lane", "flow_id"));

    /** Goes on with the events of what has ended. */
    static final String CREATED = """
              UNION ALL SELECT id, id, 'CREATED', 0, NULL, now() FROM callbacks
            """;

    private ResultCallback() {}

    /** The trace of the job, as the store keeps it: that of the execution goes on, from its last attempt. */
    static String trace(Claim claim) {
        return TraceContext.ofAttempt(claim.trace(), claim.executionId(), claim.attempt())
                .toText();
    }

    /** The input of the job, as JSON text. */
    static String input(Claim claim, String status, @Nullable JsonNode output, @Nullable JsonNode error) {
        var input = JsonNodeFactory.instance.objectNode();
        input.put("execution_id", PublicId.EXECUTION.show(claim.executionId()))
                .put("job_id", PublicId.JOB.show(claim.jobId()))
                .put("endpoint", claim.endpoint())
                .put("status", status)
                .put("attempt_count", claim.attempt())
                .put("run_at", claim.runAt().toString())
                .set("output", Output.withJson(output));
        input.set("error", error);
        return Json.write(input);
    }
}
