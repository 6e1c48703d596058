package io.taskexec.store.pull;

import static io.taskexec.store.sql.Columns.durationOrNull;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.SharedReads;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the queues of WORKER endpoints, and what is due in them. */
@Singleton
public final class PullQueues {
    /** For so long a new endpoint, or one with its first flow key, may be unknown. */
    private static final Duration KEPT = Duration.ofSeconds(1);

    private static final int MAX_ENTRIES = 10_000;
    private static final Batcher.Limits LIMITS = new Batcher.Limits(500, 10_000, 2);

    private final Database database;
    private final Batcher<String, Optional<PullQueue>> reads;
    private final SharedReads<String, @Nullable PullQueue> known;

    public PullQueues(Database database) {
        this.database = database;
        this.reads = new Batcher<>("endpoints of pull workers", LIMITS, this::readAll);
        this.known = new SharedReads<>(
                Caffeine.newBuilder().maximumSize(MAX_ENTRIES).expireAfterWrite(KEPT),
                name -> reads.submit(name).map(found -> found.orElse(null)));
    }

    /**
     * The queue of a WORKER endpoint.
     *
     * @param hasKeys whether a version of the endpoint has flow control
     */
    public record PullQueue(int queueId, boolean hasKeys) {}

    private static final String SELECT = """
            SELECT e.name, v.queue_id,
              EXISTS (SELECT 1 FROM endpoint_versions f WHERE f.name = e.name AND f.flow IS NOT NULL) AS has_keys
            FROM endpoints e JOIN endpoint_versions v ON v.name = e.name AND v.version = e.version
            WHERE e.name = ANY($1::text[]) AND v.endpoint_type = 'WORKER'
            """;

    /** Returns null when there is no such endpoint, or it is not of that type. */
    public Uni<@Nullable PullQueue> of(String endpoint) {
        return known.get(endpoint);
    }

    /** Returns those that are queues of WORKER endpoints, by the names of these. */
    public Uni<Map<String, PullQueue>> of(Set<String> endpoints) {
        var found = new ConcurrentHashMap<String, PullQueue>();
        return Uni.join()
                .all(endpoints.stream()
                        .map(endpoint -> of(endpoint).invoke(queue -> {
                            if (queue != null) {
                                found.put(endpoint, queue);
                            }
                        }))
                        .toList())
                .andFailFast()
                .replaceWith(found);
    }

    private Uni<List<Optional<PullQueue>>> readAll(List<String> names) {
        return database.run(SELECT, Tuple.tuple().addValue(names.toArray(String[]::new)))
                .map(rows -> {
                    var found = new HashMap<String, PullQueue>();
                    rows.forEach(row -> found.put(
                            row.getString("name"),
                            new PullQueue(row.getInteger("queue_id"), row.getBoolean("has_keys"))));
                    return names.stream()
                            .map(name -> Optional.ofNullable(found.get(name)))
                            .toList();
                });
    }

    private static final String NOTE = """
            UPDATE queues SET asked_at = now()
            WHERE queue_id = ANY($1::int[]) AND (asked_at IS NULL OR asked_at < now() - interval '5 seconds')
            """;

    /** Notes that workers ask for executions of these queues. */
    public Uni<Void> asked(Collection<Integer> queueIds) {
        return database.run(NOTE, Tuple.tuple().addValue(queueIds.toArray(Integer[]::new)))
                .replaceWithVoid();
    }

    // The subqueries hide from the planner how few there are, so that it keeps one plan.
    private static final String NEXT_DUE = """
            SELECT ceil(
                     extract(epoch FROM min(least(next.visible_at, now() + interval '1 day')) - now()) * 1000
                   )::bigint AS delay_ms
            FROM unnest((SELECT $1::int[])) AS share(first) JOIN queues q ON q.queue_id = %s AND NOT %s,
              unnest((SELECT $2::int[])) AS look(lane),
              LATERAL (
                SELECT visible_at FROM exec_live WHERE lane = share.first + look.lane ORDER BY visible_at LIMIT 1
              ) AS next
            """.formatted(Lanes.queue("share.first"), Lanes.IS_PAUSED);

    /**
     * How long until the next execution of these queues becomes due, zero or less when one is; null when none waits in
     * a queue that is not paused.
     *
     * @param leastUrgent the least urgent priority that counts
     */
    public Uni<@Nullable Duration> untilNextDue(Collection<PullQueue> queues, List<Integer> regions, int leastUrgent) {
        var parameters = Tuple.tuple().addValue(firstLanes(queues)).addValue(PulledClaims.looks(regions, leastUrgent));
        return database.run(NEXT_DUE, parameters)
                .map(rows -> Columns.first(rows, row -> durationOrNull(row, "delay_ms")));
    }

    private static Integer[] firstLanes(Collection<PullQueue> queues) {
        return queues.stream()
                .flatMap(queue -> queue.hasKeys()
                        ? Stream.of(firstLane(queue, false), firstLane(queue, true))
                        : Stream.of(firstLane(queue, false)))
                .toArray(Integer[]::new);
    }

    private static int firstLane(PullQueue queue, boolean isKeyed) {
        return PulledClaims.firstLane(queue.queueId(), isKeyed);
    }

    // What waits urgently and was left by those that could have taken it. Of a flow key those count that a claim would
    // let go, as ClaimStatement has it: while no worker asks, none parks the others. A new key has room for one.
    private static final String URGENT = """
            SELECT due.queue_id, least(count(*), $4::bigint)::int AS urgent
            FROM (
              SELECT q.queue_id, live.flow_id, live.flow_state,
                row_number() OVER (PARTITION BY live.flow_id, live.flow_state) AS place
              FROM unnest((SELECT $1::int[])) AS share(first) JOIN queues q ON q.queue_id = %s AND NOT %s,
                unnest((SELECT $2::int[])) AS look(lane),
                LATERAL (
                  SELECT flow_id, flow_state FROM exec_live
                  WHERE lane = share.first + look.lane AND visible_at <= now() - $3::bigint * interval '1 millisecond'
                  LIMIT $4::bigint
                ) AS live
            ) AS due
            LEFT JOIN LATERAL (
              SELECT f.flow_id, least(p.max_concurrency, p.adaptive_limit) - f.open AS room,
                p.rate_spacing_us * interval '1 microsecond' AS spacing,
                greatest(f.tat, now()) - (p.rate_burst - 1) * p.rate_spacing_us * interval '1 microsecond'
                  AS first_token
              FROM flow_limits f LEFT JOIN flow_policies p ON p.endpoint = f.endpoint
              WHERE f.flow_id = due.flow_id
              LIMIT 1
            ) AS keys ON true
            WHERE due.flow_id IS NULL OR due.flow_state = 2
              OR coalesce(
                due.place <= CASE WHEN keys.flow_id IS NULL THEN 1 ELSE keys.room END
                  AND keys.first_token + (due.place - 1) * keys.spacing <= now(),
                true)
            GROUP BY due.queue_id
            """.formatted(Lanes.queue("share.first"), Lanes.IS_PAUSED);

    /**
     * Counts executions of priority 0 that have been due for so long and could begin, by queue, of each up to
     * {@code most}, which is also how many are looked at.
     */
    public Uni<Map<Integer, Integer>> urgent(
            Collection<PullQueue> queues, List<Integer> regions, Duration since, int most) {
        var parameters = Tuple.tuple()
                .addValue(firstLanes(queues))
                .addValue(PulledClaims.looks(regions, 0))
                .addLong(since.toMillis())
                .addLong((long) most);
        return database.run(database.keepingPlan(URGENT), parameters).map(rows -> {
            var counts = new HashMap<Integer, Integer>();
            rows.forEach(row -> counts.put(row.getInteger("queue_id"), row.getInteger("urgent")));
            return counts;
        });
    }
}
