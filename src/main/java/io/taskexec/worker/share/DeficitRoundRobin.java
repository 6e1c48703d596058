package io.taskexec.worker.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Divides room by weights, in whole numbers. What is missing to the exact part is kept as credit for the next division,
 * so the parts are right in the long run even when there is room for one at a time. Who is left out of a division,
 * since there is nothing to do, loses the credit.
 */
final class DeficitRoundRobin {
    /** Parts that are whole but for the last digits of their credits. */
    private static final double NEARLY = 1e-9;

    private static final Comparator<Part> BY_REST =
            Comparator.comparingDouble(Part::rest).reversed();

    private final Map<Integer, Double> credits = new HashMap<>();

    /**
     * Divides the room.
     *
     * @param weights the weights of all that have something to do
     * @return the parts, without those that have none
     */
    Map<Integer, Integer> divide(int room, Map<Integer, Integer> weights) {
        credits.keySet().retainAll(weights.keySet());
        var known = credits.values().stream().mapToDouble(Double::doubleValue).sum();
        var given = Math.max(0, room - known);
        var all = weights.values().stream().mapToInt(Integer::intValue).sum();
        weights.forEach((key, weight) -> credits.merge(key, given * weight / all, Double::sum));

        var parts = new ArrayList<Part>(weights.size());
        weights.keySet().forEach(key -> parts.add(new Part(key, credits.getOrDefault(key, 0.0))));
        share(room, parts);

        var limits = new LinkedHashMap<Integer, Integer>();
        parts.stream().filter(part -> part.size > 0).forEach(part -> limits.put(part.key, part.size));
        return limits;
    }

    /** Gives each the whole part of its credit, and what is left to those with the largest rest, one each. */
    private static void share(int room, List<Part> parts) {
        parts.sort(BY_REST);
        var left = room;
        for (var part : parts) {
            part.size = Math.min(left, (int) Math.floor(Math.max(0, part.credit) + NEARLY));
            left -= part.size;
        }
        if (left > 0) {
            parts.sort(BY_REST);
            parts.subList(0, Math.min(left, parts.size())).forEach(part -> part.size++);
        }
    }

    /** The part of one in a division. */
    private static final class Part {
        private final int key;
        private final double credit;
        private int size;

        Part(int key, double credit) {
            this.key = key;
            this.credit = credit;
        }

        double rest() {
            return credit - size;
        }
    }

    /** Takes from the credit what was used of a part. */
    void took(int key, int count) {
        credits.computeIfPresent(key, (_, credit) -> credit - count);
    }
}
