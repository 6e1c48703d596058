package io.taskexec.store;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an export has, in the order in which it can be written again: what others refer to comes first, and what makes
 * anything happen comes last.
 */
public final class Parts {
    /** Tables that stay behind, and why. */
    static final Map<String, String> LEFT_OUT = Map.of(
            "epochs", "counts changes for the caches of processes, which begin empty elsewhere",
            "workers", "processes of the place that is left",
            "region_heartbeats", "processes of the place that is left",
            "region_status", "the regions of the place that is left",
            "sweeps", "how far a walk through a table has come, which begins again",
            "imports", "what was imported into the place that is left");

    /** Columns that stay behind: whose turn it is, which is nobody's elsewhere. */
    static final Map<String, List<String>> COLUMNS_LEFT_OUT = Map.of(
            "exec_live", List.of("lease_token", "worker_id"),
            "event_positions", List.of("owner", "owned_until"));

    /** Regions get other numbers elsewhere; all of it begins with number 0, which no place forgets. */
    private static final String LANE = "(r.lane - ((r.lane >> 3) & 7) * 8)";

    private static final String ENDED = """
            EXISTS (SELECT 1 FROM executions x WHERE x.execution_id = r.execution_id AND x.completed_at >= :since)
            """;

    private static final String LIVE_OR_ENDED =
            ENDED + " OR EXISTS (SELECT 1 FROM exec_live l WHERE l.execution_id = r.execution_id)";

    // What has an execution that is kept, or may get one. The execution of a one-shot job has its id; the partial
    // indexes are of the others.
    private static final String OF_JOB = """
            EXISTS (SELECT 1 FROM exec_live l WHERE l.execution_id = r.job_id)
            OR EXISTS (SELECT 1 FROM exec_live l WHERE l.job_id = r.job_id AND l.execution_id <> l.job_id)
            OR EXISTS (SELECT 1 FROM schedules s WHERE s.job_id = r.job_id)
            OR EXISTS (SELECT 1 FROM executions x WHERE x.execution_id = r.job_id AND x.completed_at >= :since)
            OR EXISTS (SELECT 1 FROM executions x
              WHERE x.job_id = r.job_id AND x.execution_id <> x.job_id AND x.completed_at >= :since)
            """;

    private static final Part ATTEMPTS = Part.of("attempts", 2, """
            execution_id:uuid attempt_number:smallint region:text status:text worker_id:uuid output:json error:json
            started_at:timestamptz completed_at:timestamptz
            """);

    /** Whether what is under way may be delivering what must not be delivered twice; see {@link LeaseStore#NOT_RESCUED}. */
    private static final String FAILS_WHEN_LOST = """
            r.lease_token IS NOT NULL AND (
              SELECT v.on_worker_lost = 'fail' FROM jobs j
              JOIN endpoint_versions v
                ON v.name = j.endpoint AND v.version = coalesce(r.endpoint_version, j.endpoint_version)
              WHERE j.job_id = r.job_id) IS TRUE
            """;

    /** The attempts that are under way where the export is made: elsewhere nobody hears how they end. */
    private static final String UNDER_WAY = """
            (SELECT execution_id, attempt AS attempt_number, region, 'INTERRUPTED' AS status, worker_id,
                    NULL::json AS output, NULL::json AS error, started_at, now() AS completed_at
             FROM exec_live WHERE lease_token IS NOT NULL)
            """;

    private static final List<Part> SETUP = List.of(
            Part.of("queues", 1, "queue_id:integer name:text created_at:timestamptz"),
            Part.of("payload_specs", 1, """
                    name:text version:integer schema_json:json created_at:timestamptz updated_at:timestamptz
                    """),
            Part.of("configs", 1, "name:text version:integer created_at:timestamptz updated_at:timestamptz"),
            Part.of("config_versions", 2, "name:text version:integer values_json:json created_at:timestamptz"),
            Part.of("secrets", 1, """
                    name:text version:integer encrypted_value:bytea created_at:timestamptz updated_at:timestamptz
                    """),
            Part.of("endpoints", 1, """
                    name:text version:integer payload_spec_ref:text config_ref:text created_at:timestamptz
                    updated_at:timestamptz
                    """),
            // Once all are there, since they may refer to each other.
            Part.of("endpoints", 1, "name:text on_success_ref:text on_failure_ref:text")
                    .named("endpoint_callbacks")
                    .from("(SELECT * FROM endpoints WHERE coalesce(on_success_ref, on_failure_ref) IS NOT NULL)")
                    .writtenBy("""
                            UPDATE endpoints SET on_success_ref = u.on_success_ref, on_failure_ref = u.on_failure_ref
                            FROM u WHERE endpoints.name = u.name
                            """),
            Part.of("endpoint_versions", 2, """
                    name:text version:integer endpoint_type:text payload_spec_ref:text config_ref:text spec:json
                    retry_policy:json secret_refs:text[] created_at:timestamptz queue_id:integer on_success:text
                    on_failure:text on_worker_lost:text
                    """),
            Part.of("endpoint_secrets", 2, "endpoint:text secret:text"),
            Part.of("breakers", 1, """
                    endpoint:text state:text openings:integer changed_at:timestamptz retry_at:timestamptz reason:text
                    """),
            Part.of("disabled_endpoints", 1, "endpoint:text reason:text disabled_at:timestamptz"),
            Part.of("api_keys", 1, """
                    key_id:text name:text fingerprint:bytea scopes:text created_at:timestamptz expires_at:timestamptz
                    revoked_at:timestamptz last_used_at:timestamptz
                    """));

    private static final List<Part> HISTORY = List.of(
            Part.of("endpoint_events", 2, "endpoint:text event_id:uuid kind:text message:text at:timestamptz")
                    .keeping("r.at >= :since"),
            Part.of("audit_log", 1, """
                            audit_id:uuid at:timestamptz actor:text action:text resource_kind:text resource:text
                            request_id:text remote_address:text details:json
                            """).keeping("r.at >= :since"),
            Part.of("jobs", 1, """
                            job_id:uuid region:text endpoint:text endpoint_version:integer trigger_type:text
                            version:integer previous_version_id:uuid replaced_by_id:uuid lane:integer
                            idempotency_key:text input:json created_at:timestamptz retired_at:timestamptz tags:text[]
                            trace:text callback_of:uuid
                            """).with("lane", LANE).keeping(OF_JOB),
            Part.of("job_tags", 2, "tag:text job_id:uuid").keeping(OF_JOB),
            Part.of("idempotency_keys", 2, """
                            endpoint:text idempotency_key:text job_id:uuid fingerprint:uuid created_at:timestamptz
                            """).keeping(OF_JOB),
            Part.of("executions", 1, """
                            execution_id:uuid job_id:uuid region:text lane:integer status:text attempt_count:smallint
                            config_version:integer endpoint_version:integer worker_id:uuid output:json error:json
                            run_at:timestamptz started_at:timestamptz completed_at:timestamptz created_at:timestamptz
                            """).with("lane", LANE).keeping("r.completed_at >= :since"),
            ATTEMPTS.keeping(LIVE_OR_ENDED),
            Part.of("execution_logs", 2, """
                            execution_id:uuid log_id:uuid region:text attempt_number:smallint level:text message:text
                            logged_at:timestamptz
                            """).keeping(LIVE_OR_ENDED),
            Part.of("replays", 1, "execution_id:uuid replay_id:uuid replayed_at:timestamptz")
                    .keeping(ENDED),
            Part.of("job_stats", 4, """
                            job_id:uuid hour:timestamptz status:text bucket:smallint count:bigint total_ms:bigint
                            """).keeping("r.hour >= :since"),
            Part.of("ticks", 2, """
                            job_id:uuid scheduled_at:timestamptz outcome:text execution_id:uuid lateness_ms:bigint
                            """).keeping("r.scheduled_at >= :since"));

    private static final List<Part> UNDER_WAY_OR_TO_COME = List.of(
            Part.of("event_log", 1, """
                    position:bigint execution_id:uuid job_id:uuid endpoint:text kind:text attempt:smallint
                    error_type:text next_run_at:timestamptz at:timestamptz
                    """),
            // Their numbers are the database's own, so they get others; their order is what counts.
            Part.of("event_outbox", 1, """
                            write_id:bigint execution_id:uuid job_id:uuid kind:text attempt:smallint error_type:text
                            next_run_at:timestamptz at:timestamptz
                            """).writtenBy("""
                            INSERT INTO event_outbox (execution_id, job_id, kind, attempt, error_type, next_run_at, at)
                            SELECT u.execution_id::uuid, u.job_id::uuid, u.kind, u.attempt::smallint, u.error_type,
                                   u.next_run_at::timestamptz, u.at::timestamptz
                            FROM u
                            WHERE NOT EXISTS (
                              SELECT 1 FROM event_outbox o
                              WHERE o.execution_id = u.execution_id::uuid AND o.kind = u.kind
                                AND o.attempt = u.attempt::smallint AND o.at = u.at::timestamptz)
                            ORDER BY u.write_id::bigint
                            """),
            Part.of("event_positions", 1, "name:text position:bigint").writtenBy("""
                            INSERT INTO event_positions (name, position)
                            SELECT u.name, u.position::bigint FROM u
                            ON CONFLICT (name)
                            DO UPDATE SET position = greatest(event_positions.position, excluded.position)
                            """),
            Part.of("operations", 1, """
                            operation_id:uuid action:text selection:json status:text rate_per_sec:integer
                            max_executions:bigint total:bigint position:uuid done:bigint skipped:bigint
                            next_at:timestamptz failures:integer created_at:timestamptz started_at:timestamptz
                            ended_at:timestamptz
                            """).keeping("r.ended_at IS NULL OR r.ended_at >= :since"),
            Part.of("pauses", 2, "root_id:uuid paused_at:timestamptz until:timestamptz reason:text"),
            // What is not in the ledger any more must not be missed there.
            Part.of("schedules", 1, """
                            job_id:uuid root_id:uuid cron_expression:text timezone:text starts_at:timestamptz
                            ends_at:timestamptz next_run_at:timestamptz last_tick_at:timestamptz every_ms:bigint
                            max_fires:integer catch_up:text catch_up_max:integer catch_up_window_ms:bigint overlap:text
                            dst_gap:text dst_overlap:text jitter_ms:bigint fires:bigint buffered_tick:timestamptz
                            ended_at:timestamptz tz_rules:text set_aside_reason:text ledger_from:timestamptz
                            replaces_id:uuid
                            """).with("ledger_from", """
                            nullif(greatest(r.ledger_from, least(:since, coalesce(r.next_run_at, now()))),
                              '-infinity'::timestamptz)
                            """),
            new Part(
                    ATTEMPTS.name(),
                    ATTEMPTS.table(),
                    ATTEMPTS.columns(),
                    1,
                    UNDER_WAY,
                    Map.of(),
                    "true",
                    ATTEMPTS.insert()),
            // Nobody has a lease any more. What has ended since it was written the last time must not begin again.
            Part.of("exec_live", 1, """
                            execution_id:uuid job_id:uuid region:text lane:integer visible_at:timestamptz
                            run_at:timestamptz created_at:timestamptz attempt:smallint failures:smallint
                            rescues:smallint config_version:integer endpoint_version:integer started_at:timestamptz
                            """)
                    .with("lane", LANE)
                    .with("visible_at", """
                            CASE WHEN r.lease_token IS NULL THEN r.visible_at ELSE least(r.visible_at, now()) END
                            """)
                    .with("attempt", "CASE WHEN " + FAILS_WHEN_LOST + " THEN r.attempt - 1 ELSE r.attempt END")
                    .with("rescues", "CASE WHEN " + FAILS_WHEN_LOST + " THEN 32767 ELSE r.rescues END")
                    .writtenBy("""
                            INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at,
                              attempt, failures, rescues, config_version, endpoint_version, started_at)
                            SELECT u.execution_id::uuid, u.job_id::uuid, u.region, u.lane::integer,
                              u.visible_at::timestamptz, u.run_at::timestamptz, u.created_at::timestamptz,
                              u.attempt::smallint, u.failures::smallint, u.rescues::smallint, u.config_version::integer,
                              u.endpoint_version::integer, u.started_at::timestamptz
                            FROM u
                            WHERE (SELECT x.execution_id FROM executions x WHERE x.execution_id = u.execution_id::uuid)
                              IS NULL
                            ON CONFLICT DO NOTHING
                            """));

    /** All of them, in their order. */
    static final List<Part> ALL = List.of(SETUP, HISTORY, UNDER_WAY_OR_TO_COME).stream()
            .flatMap(List::stream)
            .toList();

    private static final Map<String, Part> BY_NAME =
            ALL.stream().collect(Collectors.toMap(Part::name, Function.identity(), (first, _) -> first));

    private Parts() {}

    /** How rows of this name are written; null when there are none. */
    public static @Nullable Part named(String name) {
        return BY_NAME.get(name);
    }
}
