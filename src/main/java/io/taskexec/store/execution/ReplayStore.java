package io.taskexec.store.execution;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;

/** Replays executions that have ended. */
@Singleton
public final class ReplayStore {
    private final Database database;
    private final DueSignal dueSignal;
    private final RegionFilter regions;
    private final String replay;

    public ReplayStore(Database database, DueSignal dueSignal, RegionFilter regions) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.regions = regions;
        this.replay = database.form(REPLAY);
    }

    private static final String QUEUE = """
            CASE WHEN q.queue_id <> was.queue_id AND q.deleted_at IS NULL THEN q.queue_id ELSE v.queue_id END""";

    // A replay is another execution of the same job, due at once, on the newest version of the endpoint, in its queue,
    // or in the one that the job itself names, unless that has been deleted. A queue that is just being deleted is
    // waited for.
    // It belongs to the region that is asked for it, since that of the execution may be forgotten: of the old lane it
    // keeps the priority, and whether it is one of ticks.
    // The locks keep the endpoint from being deleted, and the job from being removed for its age, until this is
    // committed.
    // Its time to live counts from now; another time to expire, and a deadline, were those of the execution before.
    // It may be run again after its answer was lost, and the replay has ended then, or not.
    // IS TRUE keeps the planner from making a join of IN, which would compare each with each.
    public static final EventedStatement REPLAY = EventedStatement.creating(
            """
            WITH replayed AS MATERIALIZED (
              SELECT asked.id, asked.replay_id, x.job_id, %1$s + %2$s AS lane,
                e.version, coalesce(j.flow_id, (SELECT p.own_flow_id FROM flow_policies p WHERE p.endpoint = e.name))
                  AS flow_id, j.ttl_ms
              FROM unnest($1::uuid[], $2::uuid[]) AS asked(id, replay_id)
              JOIN executions x ON x.execution_id = asked.id
              JOIN jobs j ON j.job_id = x.job_id
              JOIN endpoints e ON e.name = j.endpoint
              JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
              JOIN endpoint_versions was ON was.name = j.endpoint AND was.version = j.endpoint_version
              JOIN queues q ON q.queue_id = %3$s
              WHERE (SELECT ended.execution_id FROM executions ended WHERE ended.execution_id = asked.replay_id) IS NULL
              FOR KEY SHARE OF j, e, q
            ), recorded AS (
              INSERT INTO replays (execution_id, replay_id, replayed_at)
              SELECT id, replay_id, now() FROM replayed
              ON CONFLICT (execution_id)
              DO UPDATE SET replay_id = excluded.replay_id, replayed_at = excluded.replayed_at WHERE $3::boolean
              RETURNING replay_id
            )
            """.formatted(Lanes.firstOfQueue(QUEUE), Lanes.inRegion("x.lane", "$4::int"), Lanes.queue("j.lane")),
            """
            INSERT INTO exec_live (execution_id, job_id, region, lane, visible_at, run_at, created_at, endpoint_version,
              flow_id, flow_line, expires_at)
            SELECT replayed.replay_id, replayed.job_id, $5::text, %s,
              now(), now(), now(), replayed.version, replayed.flow_id,
              CASE WHEN replayed.flow_id IS NOT NULL THEN replayed.lane & 7 END,
              now() + %s
            FROM replayed WHERE (replayed.replay_id IN (SELECT replay_id FROM recorded)) IS TRUE
            ON CONFLICT (execution_id) DO NOTHING
            """.formatted(Lanes.withKey("replayed.lane", "replayed.flow_id"), ExpiryStatement.ttl("replayed")),
            "");

    private static final String IS_REPLAYED =
            "SELECT execution_id FROM replays WHERE execution_id = $1::uuid AND replay_id = $2::uuid";

    /** Returns false when the execution has not ended or its endpoint is gone. */
    public Uni<Boolean> replay(UUID executionId, UUID replayId) {
        var replays = List.of(new Replay(executionId, replayId));
        return regions.number()
                .chain(region -> database.run(replay, parameters(replays, true, region, regions.home())))
                .invoke(dueSignal::raise)
                .chain(rows -> rows.rowCount() > 0
                        ? Uni.createFrom().item(true)
                        : database.run(IS_REPLAYED, Tuple.of(executionId, replayId))
                                .map(done -> done.size() > 0));
    }

    /** An execution that has ended, and the id of the one that is to repeat it. */
    public record Replay(UUID executionId, UUID replayId) {}

    /**
     * Repeats many at once; returns how many those were.
     *
     * @param again also those that have been repeated before
     * @param region the number of the region that repeats them
     */
    public Uni<Integer> replay(SqlConnection transaction, List<Replay> replays, boolean again, int region) {
        return Database.on(transaction, replay, parameters(replays, again, region, regions.home()))
                .map(rows -> rows.rowCount());
    }

    private static Tuple parameters(List<Replay> replays, boolean again, int region, HomeRegion home) {
        return Tuple.of(
                replays.stream().map(Replay::executionId).toArray(UUID[]::new),
                replays.stream().map(Replay::replayId).toArray(UUID[]::new),
                again,
                region,
                home.name());
    }
}
