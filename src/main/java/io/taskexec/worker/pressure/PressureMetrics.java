package io.taskexec.worker.pressure;

import io.micrometer.core.instrument.Meter;
import io.taskexec.observe.metrics.Meters;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;

/** Shows the pressure of each source, and how many priorities are held back. */
@Singleton
final class PressureMetrics {
    private final Meters meters;
    private final Pressure pressure;
    private final Map<String, Meter> shown = new HashMap<>();
    private volatile Map<String, Double> values = Map.of();

    PressureMetrics(Meters meters, Pressure pressure) {
        this.meters = meters;
        this.pressure = pressure;
        meters.gauge(
                "taskexec.pressure.held.priorities",
                "Priorities that do not start in this process",
                () -> PressurePolicy.ALL - pressure.leastUrgent());
    }

    /** Shows what was found at the last look; a signal that has ended is shown no more. */
    void show() {
        values = pressure.all();
        shown.entrySet().removeIf(entry -> {
            var isGone = !values.containsKey(entry.getKey());
            if (isGone) {
                meters.remove(entry.getValue());
            }
            return isGone;
        });
        values.keySet().forEach(source -> shown.computeIfAbsent(source, this::gauge));
    }

    private Meter gauge(String source) {
        return meters.gauge(
                "taskexec.pressure", "Pressure from 0 to 1", () -> values.getOrDefault(source, 0.0), "source", source);
    }
}
