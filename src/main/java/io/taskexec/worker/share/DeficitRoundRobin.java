package io.taskexec.worker.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Divides room by weights, in whole numbers. What is missing to the exact part is kept as credit for the next division,
 * so the parts are right in the long run even when there is room for one at a time. Who is left out of a division,
 * since there is nothing to do, loses the credit.
 */
final class DeficitRoundRobin {
    /** Parts that are whole but for the last digits of their credits. */
    private static final double NEARLY = 1e-9;

    private final Map<Integer, Double> credits = new HashMap<>();

    /**
     * Divides the room.
     *
     * @param weights the weights of all that have something to do
     * @return the parts, without those that have none, largest credit first
     */
    Map<Integer, Integer> divide(int room, Map<Integer, Integer> weights) {
        credits.keySet().retainAll(weights.keySet());
        var known = credits.values().stream().mapToDouble(Double::doubleValue).sum();
        var given = Math.max(0, room - known);
        var all = weights.values().stream().mapToInt(Integer::intValue).sum();
        weights.forEach((key, weight) -> credits.merge(key, given * weight / all, Double::sum));

        var parts = new LinkedHashMap<Integer, Integer>();
        var left = room;
        for (var key : byRest(weights, parts)) {
            var part = Math.min(left, (int) Math.floor(Math.max(0, credit(key)) + NEARLY));
            parts.put(key, part);
            left -= part;
        }
        for (var key : byRest(weights, parts)) {
            parts.merge(key, left > 0 ? 1 : 0, Integer::sum);
            left = Math.max(0, left - 1);
        }
        parts.values().removeIf(part -> part == 0);
        return parts;
    }

    /** The keys, first the one with the largest credit beside its part. */
    private Iterable<Integer> byRest(Map<Integer, Integer> weights, Map<Integer, Integer> parts) {
        var keys = new ArrayList<>(weights.keySet());
        keys.sort(Comparator.comparingDouble(key -> parts.getOrDefault(key, 0) - credit(key)));
        return keys;
    }

    /** Takes from the credit what was used of a part. */
    void took(int key, int count) {
        credits.computeIfPresent(key, (_, credit) -> credit - count);
    }

    private double credit(int key) {
        return credits.getOrDefault(key, 0.0);
    }
}
