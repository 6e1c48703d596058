package io.taskexec.store.wait;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.wait.Deferral;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the terms on which executions are deferred, and how attempts ended that were not ended by their worker. */
@Singleton
public final class DeferralStore {
    private final Database database;

    public DeferralStore(Database database) {
        this.database = database;
    }

    /**
     * The terms of a deferred execution.
     *
     * @param now the database's clock
     */
    public record Terms(Deferral deferral, Instant now) {}

    private static final String SELECT = """
            SELECT mode, poll_every_ms, poll_url, since, deadline, heartbeat_ms, heard_at, now() AS now
            FROM deferrals WHERE execution_id = $1::uuid
            """;

    /** Returns null for an execution that has not been deferred. */
    public Uni<@Nullable Terms> find(UUID executionId) {
        return database.run(SELECT, Tuple.of(executionId))
                .map(rows -> Columns.first(rows, row -> new Terms(read(row), instant(row, "now"))));
    }

    // Who lost its lease otherwise has left an attempt that was lost.
    private static final String SETTLED = """
            SELECT NOT EXISTS (
                     SELECT 1 FROM attempts
                     WHERE execution_id = $1::uuid AND attempt_number = $2::int AND status = 'LOST')
                   AND NOT EXISTS (
                     SELECT 1 FROM exec_live WHERE execution_id = $1::uuid AND callback_from <= $2::int) AS settled
            """;

    /** Whether an attempt was ended by a callback, or from outside, and not by the loss of its lease. */
    public Uni<Boolean> wasSettled(Claim claim) {
        return database.run(SETTLED, Tuple.of(claim.executionId(), claim.attempt()))
                .map(rows -> rows.iterator().next().getBoolean("settled"));
    }

    private static final String RECORDED = """
            SELECT EXISTS (
                     SELECT 1 FROM executions
                     WHERE execution_id = $1::uuid AND attempt_count = $2::int AND worker_id = $3::uuid
                       AND status = $4::text)
                   OR EXISTS (
                     SELECT 1 FROM attempts
                     WHERE execution_id = $1::uuid AND attempt_number = $2::int AND worker_id = $3::uuid
                       AND status = $4::text) AS recorded
            """;

    /**
     * Whether this result of an attempt is recorded, though the worker was told that it had lost its lease: the answer
     * to its first statement may have been lost, and the second one found nothing. Counts it then.
     */
    public Uni<Boolean> wasRecorded(Claim claim, UUID workerId, Transition result) {
        var status = status(result);
        return status == null
                ? Uni.createFrom().item(false)
                : database.run(RECORDED, Tuple.of(claim.executionId(), claim.attempt(), workerId, status))
                        .map(rows -> rows.iterator().next().getBoolean("recorded"))
                        .invoke(recorded -> {
                            if (recorded) {
                                count(result);
                            }
                        });
    }

    /** Whether {@link #wasRecorded} can find this result, by the status that it leaves. */
    public static boolean leavesStatus(Transition result) {
        return status(result) != null;
    }

    /** As it is stored of the attempt or the execution that it ends; null of a result that leaves nothing there. */
    private static @Nullable String status(Transition result) {
        return switch (result) {
            case Transition.Succeed _ -> "SUCCESS";
            case Transition.Fail _, Transition.RetryAfter _ -> "FAILED";
            case Transition.Interrupt _ -> "INTERRUPTED";
            case Transition.Defer _,
                    Transition.StayDeferred _,
                    Transition.Wait _,
                    Transition.Park _,
                    Transition.Expire _,
                    Transition.Skip _,
                    Transition.None _,
                    Transition.Abandon _ -> null;
        };
    }

    private void count(Transition result) {
        var metrics = database.metrics();
        metrics.ended(result instanceof Transition.Succeed ? 1 : 0, result instanceof Transition.Fail ? 1 : 0);
        metrics.preempted(result instanceof Transition.Interrupt(var preempted) && preempted ? 1 : 0);
    }

    /** Whether the answer to a statement may have been lost since then, by {@link System#nanoTime}. */
    public boolean mayHaveLostAnswerSince(long time) {
        var lostAt = database.answerLostAt();
        return lostAt != null && lostAt - time >= 0;
    }

    /** Counts a poll by its result: {@code pending}, {@code success}, {@code failed} or {@code unanswered}. */
    public void countPoll(String result) {
        database.metrics().waits().poll(result);
    }

    private static Deferral read(Row row) {
        var url = row.getString("poll_url");
        return new Deferral(
                DeferralMode.valueOf(row.getString("mode").toUpperCase(Locale.ROOT)),
                durationOrNull(row, "poll_every_ms"),
                url == null ? null : URI.create(url),
                instant(row, "since"),
                instant(row, "deadline"),
                durationOrNull(row, "heartbeat_ms"),
                instant(row, "heard_at"));
    }
}
