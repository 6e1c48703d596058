package io.taskexec.store;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Lane numbers: queue, shard and priority as one integer, {@code queue * 128 + shard * 8 + priority}. */
public final class Lanes {
    /** Priorities go from 0, the most urgent, to this minus one. */
    public static final int PRIORITIES = 8;

    /** The priority of a job that states none. */
    public static final int DEFAULT_PRIORITY = 4;

    private static final int SHARDS = 16;
    /** Ticks wait apart from jobs, so that many schedules that are due at once do not delay them, nor they the ticks. */
    private static final int TICKS_SHARD = 8;

    private static final int LANES_PER_QUEUE = SHARDS * PRIORITIES;

    private Lanes() {}

    static int lane(int queueId, boolean ticks, int priority) {
        return queueId * LANES_PER_QUEUE + (ticks ? TICKS_SHARD * PRIORITIES : 0) + priority;
    }

    static int priority(int lane) {
        return lane % PRIORITIES;
    }

    /** The lines of queues, which are told by their first lanes: of each queue the one of jobs and the one of ticks. */
    public static List<Integer> lines(List<Integer> queueIds) {
        return queueIds.stream()
                .flatMap(queue -> Stream.of(lane(queue, false, 0), lane(queue, true, 0)))
                .toList();
    }

    /** The lanes of lines: line after line, of each the most urgent first. */
    public static Integer[] of(List<Integer> lines) {
        return lines.stream()
                .flatMap(line -> IntStream.range(line, line + PRIORITIES).boxed())
                .toArray(Integer[]::new);
    }
}
