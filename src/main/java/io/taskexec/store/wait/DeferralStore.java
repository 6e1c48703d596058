package io.taskexec.store.wait;

import static io.taskexec.store.sql.Columns.durationOrNull;
import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
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

/** Reads the terms on which executions are deferred. */
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
