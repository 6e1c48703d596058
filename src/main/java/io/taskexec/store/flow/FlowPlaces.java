package io.taskexec.store.flow;

import io.taskexec.store.sql.Lanes;

/** Parts of statements that give places of flow keys back. A statement without them has nothing to do with keys. */
public final class FlowPlaces {
    /** The next {@code flow_state} of a row that stays: where the order is strict it keeps its place. */
    public static final String KEPT_STATE = """
            CASE WHEN live.flow_state = 2 AND (
                    SELECT p.fifo FROM flow_limits f JOIN flow_policies p ON p.endpoint = f.endpoint
                    WHERE f.flow_id = live.flow_id) IS NOT TRUE THEN 0
                  ELSE live.flow_state END""";

    /** The same of a row whose attempt was not begun: what is deferred keeps its place. */
    public static final String UNBEGUN_STATE =
            "CASE WHEN live.deferred THEN live.flow_state ELSE " + KEPT_STATE + " END";

    private static final String PLACE = "array_position((SELECT flow_ids FROM sums), f.flow_id)";

    // Rows of executions are locked before, by the part that is read here. A counter is changed by arithmetic on the
    // locked row, once for each key, and without a join: of a row that another transaction has changed meanwhile a join
    // has been seen to lose the change (PostgreSQL 18). Whether the key has a line is told from that row too: what was
    // parked while this statement waited is not seen by it. A release follows where it has one, and is noted in case
    // that we die before it.
    private static final String GIVE_BACK = """
            , given AS MATERIALIZED (
              SELECT flow_id, count(*)::int AS n FROM %s WHERE flow_state = %d AND flow_id IS NOT NULL GROUP BY flow_id
            ), limits AS MATERIALIZED (
              SELECT f.flow_id FROM flow_limits f
              WHERE f.flow_id = ANY(ARRAY(SELECT flow_id FROM given))
              ORDER BY f.flow_id
              FOR UPDATE
            ), sums AS MATERIALIZED (
              SELECT array_agg(given.flow_id) AS flow_ids, array_agg(given.n) AS n
              FROM given JOIN limits ON limits.flow_id = given.flow_id
            ), given_back AS (
              UPDATE flow_limits f
              SET open = f.open - ((SELECT n FROM sums))[%3$s],
                  release_at = CASE WHEN f.lined THEN least(f.release_at, now()) ELSE f.release_at END
              WHERE f.flow_id = ANY((SELECT flow_ids FROM sums)::bigint[])
              RETURNING f.flow_id, f.lined
            )
            """;

    /** The state of what is not in the line of its key yet, since it waits for its parents. */
    public static final int WAITS_FOR_PARENTS = 3;

    /** The column with the keys that a release is to look at; null when there are none. */
    public static final String WAITING =
            ", (SELECT array_agg(flow_id) FROM given_back WHERE lined) AS waiting_flow_ids";

    private FlowPlaces() {}

    /**
     * The query for how many executions of a key are free and due by a time. IS TRUE keeps the planner from looking the
     * time up in the index of the lanes, by which all that is due would be read.
     *
     * @param most as many as are counted
     * @param condition of the lanes of {@code due} that count
     */
    public static String free(String flowId, String by, String most, String condition) {
        return """
            SELECT count(*)::int FROM (
                SELECT 1 FROM generate_series(0, 7) AS line(number), LATERAL (
                  SELECT x.lane, x.run_at, x.execution_id FROM exec_live x
                  WHERE x.flow_id = %1$s AND x.flow_state = 0 AND x.flow_line = line.number
                    AND x.run_at <= %2$s AND (x.visible_at <= %2$s) IS TRUE
                  LIMIT %3$s) AS due
                WHERE %4$s
                LIMIT %3$s) AS few""".formatted(flowId, by, most, condition);
    }

    /** The SQL for whether the queue of a lane is not paused: what that holds back takes no place of others. */
    public static String isOpen(String lane) {
        return """
            (%s IN (SELECT queue_id FROM queues WHERE %s)) IS NOT TRUE""".formatted(Lanes.queue(lane), Lanes.IS_PAUSED);
    }

    /** Gives back the places of the deleted rows that {@code removed} returns. */
    public static String ofRemoved(String removed) {
        return GIVE_BACK.formatted(removed, 2, PLACE);
    }

    /** Gives back the places of the rows that {@code changed} returns with {@link #KEPT_STATE}. */
    public static String ofChanged(String changed) {
        return GIVE_BACK.formatted(changed, 0, PLACE);
    }
}
