package io.taskexec.client.worker;

import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Holds less urgent tasks back under pressure, as the server does: from 0.6 on, priorities 6 and 7 do not begin, from
 * 0.8 on, 3 to 7, and at 1 only 0 does. The highest source counts. A priority comes back 0.05 under its limit, since
 * the pressure falls with the work that it holds back.
 */
final class Throttle {
    /** Without pressure, tasks of all priorities begin. */
    static final int ALL = 7;

    private static final System.Logger LOG = System.getLogger(Throttle.class.getName());
    private static final double HYSTERESIS = 0.05;

    private final List<PressureSource> sources;
    private final Set<PressureSource> failing = new HashSet<>();
    private int leastUrgent = ALL;

    Throttle(List<PressureSource> sources) {
        this.sources = sources;
    }

    /** The highest number of a priority that may begin. */
    synchronized int leastUrgent() {
        var pressure = sources.stream().mapToDouble(this::measure).max().orElse(0);
        var now = limit(pressure);
        leastUrgent = now <= leastUrgent ? now : Math.max(leastUrgent, limit(pressure + HYSTERESIS));
        return leastUrgent;
    }

    /** One that fails holds nothing back. It is asked often, so that its failures make one line until it works. */
    private double measure(PressureSource source) {
        try {
            var pressure = source.pressure();
            failing.remove(source);
            return pressure;
        } catch (RuntimeException | Error e) {
            if (failing.add(source)) {
                LOG.log(Level.WARNING, "A pressure cannot be measured.", e);
            }
            return 0;
        }
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
