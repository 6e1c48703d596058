package io.taskexec.worker.share;

import io.taskexec.model.queue.QueueShare;
import io.taskexec.store.sql.Lanes;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Divides room among lane groups: among queues by their weights, and the part of a queue evenly among its groups. So
 * jobs and ticks, with flow keys and without, do not delay each other.
 */
final class LineShares {
    private final DeficitRoundRobin queues = new DeficitRoundRobin();
    private final Map<Integer, DeficitRoundRobin> groups = new HashMap<>();

    /**
     * Divides the room.
     *
     * @param lines the groups that have something due
     * @param known all their queues
     * @return the limits of the groups that may have something
     */
    Map<Integer, Integer> divide(int room, Collection<Integer> lines, Map<Integer, QueueShare> known) {
        var byQueue = lines.stream().collect(Collectors.groupingBy(Lanes::queueId, TreeMap::new, Collectors.toList()));
        groups.keySet().retainAll(byQueue.keySet());
        var parts = queues.divide(room, with(byQueue.keySet(), queue -> weight(known.get(queue))));
        var limits = new LinkedHashMap<Integer, Integer>();
        parts.forEach((queue, part) -> limits.putAll(groups.computeIfAbsent(queue, _ -> new DeficitRoundRobin())
                .divide(part, with(byQueue.getOrDefault(queue, List.of()), _ -> 1))));
        return limits;
    }

    private static int weight(@Nullable QueueShare queue) {
        return queue == null ? 1 : queue.weight();
    }

    private static Map<Integer, Integer> with(Collection<Integer> keys, Function<Integer, Integer> value) {
        var values = new LinkedHashMap<Integer, Integer>();
        keys.forEach(key -> values.put(key, value.apply(key)));
        return Collections.unmodifiableMap(values);
    }

    /** Tells how much was claimed of a group. */
    void took(int line, int count) {
        var queue = Lanes.queueId(line);
        queues.took(queue, count);
        var group = groups.get(queue);
        if (group != null) {
            group.took(line, count);
        }
    }
}
