package io.taskexec.store.sql;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Lane numbers: queue, shard and priority as one integer, {@code queue * 128 + shard * 8 + priority}. The shard is the
 * number of the region for jobs, and {@link #REGIONS} more for ticks. What has a flow key waits in lanes of its own,
 * whose numbers are less by {@link #KEYED}: a claim of the other lanes needs to know nothing of keys.
 */
public final class Lanes {
    /** Priorities go from 0, the most urgent, to this minus one. */
    public static final int PRIORITIES = 8;

    /** The priority of a job that states none. */
    public static final int DEFAULT_PRIORITY = 4;

    /** Regions have numbers from 0 to this minus one. */
    public static final int REGIONS = 8;

    /**
     * Ticks wait apart from jobs, so that many schedules that are due at once do not delay them, nor they the ticks.
     */
    private static final int TICKS_SHARD = REGIONS;

    private static final int SHARDS = TICKS_SHARD + REGIONS;

    /** Lanes of one queue. */
    public static final int PER_QUEUE = SHARDS * PRIORITIES;

    /** A multiple of {@link #PER_QUEUE} that is more than any lane, so that remainders are the same. */
    public static final int KEYED = 1 << 30;

    private Lanes() {}

    public static int lane(int queueId, int region, boolean ticks, int priority) {
        return queueId * PER_QUEUE + (ticks ? TICKS_SHARD + region : region) * PRIORITIES + priority;
    }

    /** The lane beside it of executions with a flow key. */
    public static int keyed(int lane) {
        return lane - KEYED;
    }

    /** Whether its executions have flow keys. */
    public static boolean isKeyed(int lane) {
        return lane < 0;
    }

    /** The group of a lane. */
    public static int line(int lane) {
        return lane - priority(lane);
    }

    /** The id of a lane's queue. */
    public static int queueId(int lane) {
        return (isKeyed(lane) ? lane + KEYED : lane) / PER_QUEUE;
    }

    /** The number of a lane's region. */
    public static int region(int lane) {
        return Math.floorMod(lane, PER_QUEUE) / PRIORITIES % REGIONS;
    }

    public static int priority(int lane) {
        return Math.floorMod(lane, PRIORITIES);
    }

    /** The SQL for whether a queue is paused now. */
    public static final String IS_PAUSED = "(paused_at IS NOT NULL AND coalesce(paused_until > now(), true))";

    // The fragments are text blocks, so that CockroachListTest finds them.

    /**
     * The CTE {@code lanes} of a recursive query: the lanes that have executions, and the first time of each. It goes
     * from lane to lane in the index of the claim, so it costs one look for each of them, however many lanes there
     * could be and however many executions they have.
     */
    public static final String OCCUPIED = occupiedBy("TRUE");

    /**
     * The same for the lanes that have executions of which a condition is true.
     *
     * @param condition on columns of the index of the claim
     */
    public static String occupiedBy(String condition) {
        return """
            lanes AS (
              (SELECT lane, visible_at FROM exec_live WHERE %1$s ORDER BY lane, visible_at LIMIT 1)
              UNION ALL
              SELECT next.lane, next.visible_at
              FROM lanes, LATERAL (
                SELECT lane, visible_at FROM exec_live WHERE lane > lanes.lane AND %1$s
                ORDER BY lane, visible_at LIMIT 1
              ) AS next
            )""".formatted(condition);
    }

    /** The SQL for the first lane of a queue. */
    public static String firstOfQueue(String queueId) {
        return """
            %s * %d""".formatted(queueId, PER_QUEUE);
    }

    /** The SQL for the place of a lane among those of its queue. */
    public static String withinQueue(String lane) {
        return """
            (%s & %d)""".formatted(lane, PER_QUEUE - 1);
    }

    /** The SQL for the group of a lane. */
    public static String firstOfLine(String lane) {
        return """
            %1$s - (%1$s & %2$d)""".formatted(lane, PRIORITIES - 1);
    }

    /** The SQL for a lane, or for the keyed one beside it when there is a flow key. */
    public static String withKey(String lane, String flowId) {
        return """
            CASE WHEN %1$s IS NULL THEN %2$s ELSE %2$s - %3$d END""".formatted(flowId, lane, KEYED);
    }

    /** The SQL for the id of a lane's queue. */
    public static String queue(String lane) {
        return """
            ((%s & %d) >> %d)""".formatted(lane, KEYED - 1, Integer.numberOfTrailingZeros(PER_QUEUE));
    }

    /** The SQL for the priority of a lane. */
    public static String priorityOf(String lane) {
        return """
            (%s & %d)""".formatted(lane, PRIORITIES - 1);
    }

    /** The SQL for the number of a lane's region. */
    public static String region(String lane) {
        return """
            ((%s >> %d) & %d)""".formatted(lane, Integer.numberOfTrailingZeros(PRIORITIES), REGIONS - 1);
    }

    /** The SQL for the place of a lane among those of its queue if it were in another region. */
    public static String inRegion(String lane, String region) {
        return "(%1$s & %3$d) + %2$s * %4$d + (%1$s & %5$d)"
                .formatted(lane, region, TICKS_SHARD * PRIORITIES, PRIORITIES, PRIORITIES - 1);
    }

    /**
     * The lane groups of queues: for each region the one of jobs and the one of ticks. A group is the lanes of one
     * queue and shard, and is told by its first lane.
     */
    public static List<Integer> lines(List<Integer> queueIds, List<Integer> regions) {
        return queueIds.stream()
                .flatMap(queue -> regions.stream()
                        .flatMap(region -> Stream.of(lane(queue, region, false, 0), lane(queue, region, true, 0))))
                .toList();
    }

    /** Lane groups, and the groups beside them of executions with flow keys. */
    public static List<Integer> withKeyed(List<Integer> lines) {
        return Stream.concat(lines.stream(), lines.stream().map(Lanes::keyed)).toList();
    }

    /** The lanes of groups: group after group, of each the most urgent first. */
    public static Integer[] of(List<Integer> lines) {
        return lines.stream()
                .flatMap(line -> IntStream.range(line, line + PRIORITIES).boxed())
                .toArray(Integer[]::new);
    }
}
