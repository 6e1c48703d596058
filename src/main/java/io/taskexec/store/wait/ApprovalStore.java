package io.taskexec.store.wait;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.instantOrNull;
import static io.taskexec.store.sql.Columns.millisOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.model.PublicId;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.wait.Approval;
import io.taskexec.model.wait.Decision;
import io.taskexec.model.wait.OnTimeout;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Conditions;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps the questions that executions ask people, and their decisions. */
@Singleton
public final class ApprovalStore {
    private final Database database;
    private final DueSignal dueSignal;

    public ApprovalStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
    }

    // An attempt that asks again after one that has failed asks another question. After one that was lost, and when the
    // same attempt comes here twice, the question stays as it was announced: people may have the address.
    private static final String ASK = """
            INSERT INTO approvals AS known (execution_id, attempt, title, details, announce, asked_at, deadline,
              remind_every_ms, remind_at, on_timeout)
            SELECT live.execution_id, $2::int, $3::text, $4::text, $5::text, now(),
              now() + $6::bigint * interval '1 millisecond', $7::bigint,
              now() + $7::bigint * interval '1 millisecond', $8::text
            FROM exec_live live
            WHERE live.execution_id = $1::uuid AND live.lease_token = $9::bigint
            ON CONFLICT (execution_id) DO UPDATE
            SET attempt = excluded.attempt, title = excluded.title, details = excluded.details,
                announce = excluded.announce, asked_at = excluded.asked_at, deadline = excluded.deadline,
                remind_every_ms = excluded.remind_every_ms, remind_at = excluded.remind_at, reminders = 0,
                on_timeout = excluded.on_timeout, decision = NULL, decided_by = NULL,
                decided_via = NULL, comment = NULL, address = NULL,
                decided_at = NULL
            WHERE (SELECT live.callback_from FROM exec_live live WHERE live.execution_id = known.execution_id)
              > known.attempt
            """;

    /** Notes the question of an attempt that is about to be deferred. */
    public Uni<Void> ask(Claim claim, ApprovalSpec spec, String title, @Nullable String details) {
        var parameters = Tuple.tuple()
                .addUUID(claim.executionId())
                .addInteger(claim.attempt())
                .addString(title)
                .addString(details)
                .addString(spec.announce())
                .addLong(spec.timeout().toMillis())
                .addLong(millisOrNull(spec.remindEvery()))
                .addString(spec.onTimeout().word())
                .addLong(claim.leaseToken());
        return database.run(ASK, parameters).replaceWithVoid();
    }

    private static final String COLUMNS = """
            SELECT a.*, now() AS now FROM approvals a
            """;

    private static final String SELECT = COLUMNS + "WHERE a.execution_id = $1::uuid";

    /** Returns null for an execution that has asked nothing. */
    public Uni<@Nullable Approval> find(UUID executionId) {
        return database.run(SELECT, Tuple.of(executionId)).map(rows -> Columns.first(rows, ApprovalStore::read));
    }

    private static final String IS_LIVE =
            "(SELECT l.execution_id FROM exec_live l WHERE l.execution_id = a.execution_id) IS %s NULL";

    /**
     * The questions, newest execution first.
     *
     * @param open those alone that wait for a decision, or those alone that do not; null for all
     * @param after the last execution of the page before
     */
    public Uni<Page<Approval, UUID>> list(@Nullable Boolean open, int limit, @Nullable UUID after) {
        var conditions = new Conditions().and("a.execution_id < ?::uuid", after);
        if (open != null) {
            // Few are open, and an index has those without a decision.
            conditions
                    .andWhen(open, "a.decision IS NULL")
                    .andWhen(open, IS_LIVE.formatted("NOT"))
                    .andWhen(!open, "(a.decision IS NOT NULL OR " + IS_LIVE.formatted("") + ")");
        }
        var sql = COLUMNS + conditions.where() + "ORDER BY a.execution_id DESC LIMIT " + conditions.next() + "::bigint";
        return database.run(sql, conditions.parameters(limit + 1L))
                .map(rows -> Page.of(Columns.list(rows, ApprovalStore::read), limit, Approval::executionId));
    }

    // The row of the execution is locked, so that its attempt has not ended. A worker is to look at it at once. What is
    // not deferred yet is looked at soon after that.
    private static final String DECIDE = """
            WITH valid AS MATERIALIZED (
              SELECT live.execution_id FROM exec_live live
              WHERE live.execution_id = $1::uuid AND $2::int BETWEEN live.callback_from AND live.attempt
              FOR UPDATE
            ), decided AS (
              UPDATE approvals a
              SET decision = $3::text, decided_by = $4::text, decided_via = $7::text,
                  comment = $5::text, address = $6::text, decided_at = now()
              FROM valid
              WHERE a.execution_id = valid.execution_id AND a.decision IS NULL
              RETURNING a.execution_id
            ), woken AS (
              UPDATE exec_live live
              SET visible_at = now(), lease_token = NULL
              WHERE live.execution_id = ANY(ARRAY(SELECT execution_id FROM decided)) AND live.deferred
              RETURNING live.execution_id
            ), audited AS (
              INSERT INTO audit_log (audit_id, at, actor, action, resource_kind, resource, request_id, remote_address,
                details)
              SELECT $8::uuid, now(), $4::text, $3::text, 'approval', $9::text, $10::text, $6::text,
                json_build_object('via', $7::text)
              FROM decided
            )
            SELECT execution_id, (SELECT count(*) FROM woken) AS woken FROM decided
            """;

    /**
     * A decision about an approval.
     *
     * @param by the name of the person, as they gave it, or of the API key
     * @param via {@code link} for the page, {@code key} for an API key
     * @param address from which it came
     * @param requestId of the request that brought it
     */
    public record Decided(
            Decision decision,
            String by,
            String via,
            @Nullable String comment,
            String address,
            String requestId) {}

    /**
     * Notes a decision about the question of an attempt, in the audit log too; returns false when there is one, or the
     * attempt has ended.
     */
    public Uni<Boolean> decide(UUID executionId, int attempt, Decided decided) {
        var parameters = Tuple.tuple()
                .addUUID(executionId)
                .addInteger(attempt)
                .addString(decided.decision().word())
                .addString(decided.by())
                .addString(decided.comment())
                .addString(decided.address())
                .addString(decided.via())
                .addUUID(Uuid7.next())
                .addString(PublicId.EXECUTION.show(executionId))
                .addString(decided.requestId());
        return database.run(DECIDE, parameters).invoke(dueSignal::raise).map(rows -> rows.size() > 0);
    }

    private static final String REMINDED = """
            UPDATE approvals
            SET reminders = $2::int, remind_at = now() + remind_every_ms * interval '1 millisecond'
            WHERE execution_id = $1::uuid AND reminders < $2::int
            """;

    /** Notes that so many reminders have been sent. */
    public Uni<Void> reminded(UUID executionId, int reminders) {
        return database.run(REMINDED, Tuple.of(executionId, reminders)).replaceWithVoid();
    }

    private static Approval read(Row row) {
        var decision = row.getString("decision");
        return new Approval(
                row.getUUID("execution_id"),
                row.getInteger("attempt"),
                row.getString("title"),
                row.getString("details"),
                row.getString("announce"),
                instant(row, "asked_at"),
                instant(row, "deadline"),
                durationOrNull(row, "remind_every_ms"),
                instantOrNull(row, "remind_at"),
                row.getInteger("reminders"),
                OnTimeout.valueOf(row.getString("on_timeout").toUpperCase(Locale.ROOT)),
                decision == null ? null : Decision.valueOf(decision.toUpperCase(Locale.ROOT)),
                row.getString("decided_by"),
                row.getString("decided_via"),
                row.getString("comment"),
                row.getString("address"),
                instantOrNull(row, "decided_at"));
    }
}
