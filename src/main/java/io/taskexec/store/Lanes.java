package io.taskexec.store;

import java.util.List;
import java.util.stream.IntStream;

/** Lane numbers: queue, shard and priority as one integer, {@code queue * 128 + shard * 8 + priority}. */
public final class Lanes {
    /** Priorities go from 0, the most urgent, to this minus one. */
    public static final int PRIORITIES = 8;

    /** The priority of a job that states none. */
    public static final int DEFAULT_PRIORITY = 4;

    private static final int SHARDS = 16;
    private static final int LANES_PER_QUEUE = SHARDS * PRIORITIES;

    private Lanes() {}

    static int lane(int queueId, int priority) {
        return queueId * LANES_PER_QUEUE + priority;
    }

    static int queueId(int lane) {
        return lane / LANES_PER_QUEUE;
    }

    static int priority(int lane) {
        return lane % PRIORITIES;
    }

    /** The lanes of queues on shard 0: queue after queue, of each the most urgent first. */
    public static Integer[] of(List<Integer> queueIds) {
        return queueIds.stream()
                .flatMap(queue -> IntStream.range(0, PRIORITIES).mapToObj(priority -> lane(queue, priority)))
                .toArray(Integer[]::new);
    }
}
