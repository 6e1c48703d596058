package io.taskexec.worker.pressure;

import io.quarkus.arc.All;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.store.sql.Lanes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * Knows which priorities this process may start. It is looked at once a second: sources that measure are smoothed,
 * signals from outside count as they are, since who sends them has decided, and the highest value counts.
 */
@Singleton
public final class Pressure {
    private static final Logger LOG = Logger.getLogger(Pressure.class);

    private static final double LOW = 0.1;

    private final List<PressureSource> sources;
    private final PressurePolicy policy;
    private final LongSupplier clock;
    private final Map<String, Smoothing> averages = new HashMap<>();
    private volatile Map<String, Double> measured = Map.of();
    private volatile List<Signal> signals = List.of();
    private volatile int leastUrgent = PressurePolicy.ALL;

    /** @param until by the clock of this process, so that it ends also while there is no database */
    private record Signal(String source, double value, long until) {}

    @Inject
    Pressure(@All List<PressureSource> sources, PressureConfig config) {
        this(sources, config, System::nanoTime);
    }

    /** @param clock in nanoseconds */
    public Pressure(List<PressureSource> sources, PressureConfig config, LongSupplier clock) {
        this.sources = sources;
        this.policy = new PressurePolicy(config);
        this.clock = clock;
    }

    /** The least urgent priority that may start. */
    public int leastUrgent() {
        return leastUrgent;
    }

    /** Those of the lanes whose executions may start: the same array without pressure. */
    public Integer[] admitted(Integer[] lanes) {
        var least = leastUrgent;
        return least == PressurePolicy.ALL
                ? lanes
                : Arrays.stream(lanes)
                        .filter(lane -> Lanes.priority(lane) <= least)
                        .toArray(Integer[]::new);
    }

    /** The smoothed pressure of each source that this process measures, rounded to two digits. */
    public Map<String, Double> measured() {
        var rounded = new TreeMap<String, Double>();
        measured.forEach((source, value) -> rounded.put(source, Math.round(value * 100) / 100.0));
        return rounded;
    }

    /** The pressure of each source and signal that counts now, by name. */
    Map<String, Double> all() {
        var all = new TreeMap<>(measured);
        var now = clock.getAsLong();
        signals.stream()
                .filter(signal -> signal.until() > now)
                .forEach(signal -> all.merge(signal.source(), signal.value(), Math::max));
        return all;
    }

    /** Whether no source and no signal tells of more than a tenth of the highest pressure. */
    boolean isLow() {
        return all().values().stream().allMatch(value -> value < LOW);
    }

    /** Takes the place of the signals before. */
    void signals(List<PressureReading> found) {
        var now = clock.getAsLong();
        signals = found.stream()
                .map(one -> new Signal(
                        one.source(),
                        one.value(),
                        one.remaining() == null
                                ? Long.MAX_VALUE
                                : now + one.remaining().toNanos()))
                .toList();
    }

    /** Asks all sources once and decides anew; returns whether more may start than before. */
    boolean look() {
        var now = clock.getAsLong();
        var values = new TreeMap<String, Double>();
        for (var source : sources) {
            var value = value(source);
            if (!Double.isNaN(value)) {
                var average = averages.computeIfAbsent(source.name(), _ -> new Smoothing(now));
                values.merge(source.name(), average.next(Math.clamp(value, 0, 1), now), Math::max);
            }
        }
        measured = Map.copyOf(values);
        var highest = all().values().stream().mapToDouble(value -> value).max().orElse(0);
        var before = leastUrgent;
        leastUrgent = policy.leastUrgent(highest, before);
        if (leastUrgent != before) {
            tell(highest);
        }
        return leastUrgent > before;
    }

    private static double value(PressureSource source) {
        try {
            return source.read();
        } catch (RuntimeException e) {
            LOG.debugf(e, "the pressure of %s could not be read", source.name());
            return Double.NaN;
        }
    }

    private void tell(double highest) {
        if (leastUrgent == PressurePolicy.ALL) {
            LOG.infof("pressure is %.2f: all priorities start again", highest);
        } else {
            LOG.warnf("pressure is %.2f %s: priorities above %d wait", highest, new TreeMap<>(all()), leastUrgent);
        }
    }
}
