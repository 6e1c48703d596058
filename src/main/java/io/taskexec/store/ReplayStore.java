package io.taskexec.store;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.UUID;

/** Repeats executions that have ended. */
@Singleton
public final class ReplayStore {
    private final Database database;
    private final DueSignal dueSignal;

    public ReplayStore(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
    }

    // A replay is another execution of the same job, for now and on the newest version of the endpoint, in its queue.
    private static final String REPLAY = """
            INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at, endpoint_version)
            SELECT $2::uuid, x.job_id, v.queue_id * 128 + mod(x.lane, 128), now(), now(), now(), e.version
            FROM executions x
            JOIN jobs j ON j.job_id = x.job_id
            JOIN endpoints e ON e.name = j.endpoint
            JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
            WHERE x.execution_id = $1::uuid
            ON CONFLICT (execution_id) DO NOTHING
            """;

    /** Gives false when the execution has not ended or its endpoint is gone. */
    public Uni<Boolean> replay(UUID executionId, UUID replayId) {
        return database.run(REPLAY, Tuple.of(executionId, replayId))
                .invoke(dueSignal::raise)
                .map(rows -> rows.rowCount() > 0);
    }
}
