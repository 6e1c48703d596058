package io.taskexec.client.worker;

import java.util.List;

/**
 * Holds less urgent tasks back under pressure, as the server does: from 0.6 on, priorities 6 and 7 do not begin, from
 * 0.8 on, 3 to 7, and at 1 only 0 does. The highest source counts. A priority comes back 0.05 under its limit, since
 * the pressure falls with the work that it holds back.
 */
final class Throttle {
    /** Without pressure, tasks of all priorities begin. */
    static final int ALL = 7;

    private static final double HYSTERESIS = 0.05;

    private final List<PressureSource> sources;
    private int leastUrgent = ALL;

    Throttle(List<PressureSource> sources) {
        this.sources = sources;
    }

    /** The highest number of a priority that may begin. */
    synchronized int leastUrgent() {
        var pressure =
                sources.stream().mapToDouble(PressureSource::pressure).max().orElse(0);
        var now = limit(pressure);
        leastUrgent = now <= leastUrgent ? now : Math.max(leastUrgent, limit(pressure + HYSTERESIS));
        return leastUrgent;
    }

    private static int limit(double pressure) {
        if (pressure >= 1) {
            return 0;
        }
        if (pressure >= 0.8) {
            return 2;
        }
        return pressure >= 0.6 ? 5 : ALL;
    }
}
