package io.taskexec.worker.pressure;

import io.taskexec.store.sql.Lanes;

/**
 * Decides which priorities may start at a pressure. A priority that is held back comes back only when the pressure is
 * {@link #BELOW} under the limit: without work that is held back the pressure falls, and would rise at once with it.
 */
final class PressurePolicy {
    /** The least urgent of all. */
    static final int ALL = Lanes.PRIORITIES - 1;

    /** In hundredths. */
    static final int BELOW = 5;

    private static final int BEFORE_LOW = 5;
    private static final int BEFORE_NORMAL = 2;

    private final int low;
    private final int normal;
    private final int urgent;

    PressurePolicy(PressureConfig config) {
        this.low = config.lowPercent();
        this.normal = config.normalPercent();
        this.urgent = config.urgentPercent();
    }

    /**
     * The least urgent priority that may start.
     *
     * @param pressure from 0 to 1; counted in whole hundredths, since one that is smoothed comes to 1 only nearly
     * @param before what this returned the last time
     */
    int leastUrgent(double pressure, int before) {
        var percent = (int) Math.round(pressure * 100);
        var now = at(percent);
        return now <= before ? now : Math.max(before, at(Math.min(100, percent + BELOW)));
    }

    private int at(int percent) {
        if (percent >= urgent) {
            return 0;
        }
        if (percent >= normal) {
            return BEFORE_NORMAL;
        }
        return percent >= low ? BEFORE_LOW : ALL;
    }
}
