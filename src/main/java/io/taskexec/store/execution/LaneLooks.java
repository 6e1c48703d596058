package io.taskexec.store.execution;

import io.taskexec.store.sql.Lanes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The looks of a claim at the lanes of a group, in their order. Each step of waiting raises the priority by one, so
 * what has waited in lane 5 for two steps comes with lane 3.
 *
 * @param priorities the lane of each look within its group
 * @param steps the steps of waiting of each look
 * @param agedFirst the groups that each look is for
 */
record LaneLooks(Integer[] priorities, Integer[] steps, Boolean[] agedFirst) {
    private record Look(int priority, int steps, boolean agedFirst) {
        int urgency() {
            return priority - steps;
        }

        int place() {
            return agedFirst ? -steps : steps;
        }
    }

    private static final LaneLooks WITHOUT_AGING = of(1);
    private static final LaneLooks WITH_AGING = of(Lanes.PRIORITIES);

    /** Returns the looks at groups of which some age, or none does. */
    static LaneLooks of(boolean aging) {
        return aging ? WITH_AGING : WITHOUT_AGING;
    }

    private static LaneLooks of(int ages) {
        var looks = new ArrayList<Look>();
        for (var agedFirst : List.of(false, true)) {
            for (var priority = 0; priority < Lanes.PRIORITIES; priority++) {
                for (var steps = 0; steps <= priority && steps < ages; steps++) {
                    looks.add(new Look(priority, steps, agedFirst));
                }
            }
        }
        looks.sort(Comparator.comparing(Look::agedFirst)
                .thenComparing(Look::urgency)
                .thenComparing(Look::place));
        return new LaneLooks(
                looks.stream().map(Look::priority).toArray(Integer[]::new),
                looks.stream().map(Look::steps).toArray(Integer[]::new),
                looks.stream().map(Look::agedFirst).toArray(Boolean[]::new));
    }
}
