package io.taskexec.store.execution;

import io.taskexec.store.sql.Lanes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The looks of a claim at the lanes of a group, in their order. Each step of waiting raises the priority by one, so
 * what has waited in lane 5 for two steps comes with lane 3.
 */
record LaneLooks(List<Look> looks) {
    /**
     * A look at a lane.
     *
     * @param priority the lane within its group
     * @param steps of waiting
     * @param agedFirst the groups that it is for
     */
    record Look(int priority, int steps, boolean agedFirst) {
        int urgency() {
            return priority - steps;
        }

        int place() {
            return agedFirst ? -steps : steps;
        }
    }

    /** By the lowest priority that may start. */
    private static final List<LaneLooks> WITHOUT_AGING = all(1);

    private static final List<LaneLooks> WITH_AGING = all(Lanes.PRIORITIES);

    /**
     * Returns the looks at groups of which some age, or none does.
     *
     * @param leastUrgent the lowest priority that may start, as a number
     */
    static LaneLooks of(boolean aging, int leastUrgent) {
        return (aging ? WITH_AGING : WITHOUT_AGING).get(leastUrgent);
    }

    private static List<LaneLooks> all(int ages) {
        return IntStream.range(0, Lanes.PRIORITIES)
                .mapToObj(leastUrgent -> of(ages, leastUrgent))
                .toList();
    }

    private static LaneLooks of(int ages, int leastUrgent) {
        var looks = new ArrayList<Look>();
        for (var agedFirst : List.of(false, true)) {
            for (var priority = 0; priority <= leastUrgent; priority++) {
                for (var steps = 0; steps <= priority && steps < ages; steps++) {
                    looks.add(new Look(priority, steps, agedFirst));
                }
            }
        }
        looks.sort(Comparator.comparing(Look::agedFirst)
                .thenComparingInt(Look::urgency)
                .thenComparingInt(Look::place));
        return new LaneLooks(List.copyOf(looks));
    }

    Integer[] priorities() {
        return looks.stream().map(Look::priority).toArray(Integer[]::new);
    }

    Integer[] steps() {
        return looks.stream().map(Look::steps).toArray(Integer[]::new);
    }

    Boolean[] agedFirst() {
        return looks.stream().map(Look::agedFirst).toArray(Boolean[]::new);
    }
}
