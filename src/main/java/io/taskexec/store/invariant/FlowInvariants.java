package io.taskexec.store.invariant;

import static io.taskexec.store.invariant.InvariantQuery.show;
import static io.taskexec.store.invariant.InvariantQuery.violation;

import java.util.List;

/** Invariants of flow keys. What is said of their executions is looked at while there are not too many. */
final class FlowInvariants {
    // One more than may be looked at: then there may be others, and nothing is said.
    private static final String KEYED = """
            WITH keyed AS MATERIALIZED (
              SELECT execution_id, flow_id, flow_state, deferred, started_at FROM exec_live
              WHERE lane < 0 LIMIT $1::bigint + 1
            )
            """;

    private static final String COMPLETE = "(SELECT count(*) FROM keyed) <= $1::bigint";

    private static final String KEY = "SELECT f.endpoint || ' ' || f.flow_key AS id FROM flow_limits f ";

    private static final InvariantQuery COUNTED = violation(
            "flow_key_miscounted",
            "The places of a flow key that are taken are those of its executions.",
            KEYED + KEY + """
            WHERE f.open <> (SELECT count(*) FROM keyed k WHERE k.flow_id = f.flow_id AND k.flow_state = 2) AND
            """ + COMPLETE);

    private static final InvariantQuery LINED = violation(
            "parked_without_line",
            "An execution is parked only in the line of a flow key.",
            KEYED + "SELECT " + show("exec_", "k.execution_id") + " AS id FROM keyed k " + """
            WHERE k.flow_state = 1 AND (SELECT f.lined FROM flow_limits f WHERE f.flow_id = k.flow_id) IS NOT TRUE
            """);

    private static final InvariantQuery RELEASED = violation(
            "parked_with_room",
            "While a worker lives, the line of a flow key is looked at within a minute after it has room.",
            KEY + """
            WHERE EXISTS (SELECT 1 FROM workers w
              WHERE w.started_at < f.release_at AND w.last_seen_at > f.release_at + interval '60 seconds')
            LIMIT $1::bigint
            """);

    // What has begun goes on when the cap becomes lower, and a deferred execution for a year.
    private static final InvariantQuery CAPPED = violation(
            "flow_key_over_cap",
            "No flow key has more executions at once that began since its last change than its cap.",
            KEYED + KEY + """
            JOIN flow_policies p ON p.endpoint = f.endpoint
            JOIN endpoints e ON e.name = f.endpoint
            WHERE f.open > p.max_concurrency AND p.max_concurrency < (SELECT count(*) FROM keyed k
              WHERE k.flow_id = f.flow_id AND k.flow_state = 2 AND NOT k.deferred
                AND k.started_at > e.updated_at + interval '1 second')
            LIMIT $1::bigint
            """);

    private static final InvariantQuery ADAPTED = violation(
            "adaptive_limit_forgotten", "While a worker lives, a limit that is not used ends within ten minutes.", """
            SELECT p.endpoint AS id FROM flow_policies p
            WHERE p.adaptive_limit IS NOT NULL AND p.adaptive_at < now() - interval '10 minutes'
              AND NOT EXISTS (SELECT 1 FROM flow_limits f
                WHERE f.flow_id = p.own_flow_id AND (f.lined OR f.open * 2 > p.adaptive_limit))
              AND EXISTS (SELECT 1 FROM workers w
                WHERE w.started_at < p.adaptive_at AND w.last_seen_at > p.adaptive_at + interval '10 minutes')
            LIMIT $1::bigint
            """);

    static final List<InvariantQuery> ALL = List.of(COUNTED, LINED, RELEASED, CAPPED, ADAPTED);

    private FlowInvariants() {}
}
