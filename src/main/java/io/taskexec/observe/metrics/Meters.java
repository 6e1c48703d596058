package io.taskexec.observe.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes the meters that are touched with each job, each once, so that nothing is looked up when they are. Switched off,
 * they measure nothing and are not shown.
 */
@Singleton
public final class Meters {
    /**
     * From what takes no time to what takes minutes, in seconds: few, since each is a line for each meter and process.
     */
    private static final Duration[] SPANS = Stream.of(
                    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
            .map(seconds -> Duration.ofMillis(Math.round(seconds * 1000)))
            .toArray(Duration[]::new);

    private static final double[] SIZES = {1, 2, 5, 10, 20, 50, 100, 200, 500};

    private final MeterRegistry registry;
    private final boolean on;

    @Inject
    Meters(MeterRegistry registry, MetricsConfig config) {
        this(registry, config.isEnabled());
    }

    private Meters(MeterRegistry registry, boolean on) {
        // A composite of none takes everything and keeps nothing.
        this.registry = on ? registry : new CompositeMeterRegistry();
        this.on = on;
    }

    /** Meters that are on. */
    public static Meters of(MeterRegistry registry) {
        return new Meters(registry, true);
    }

    /** Meters that are off. */
    public static Meters none() {
        return new Meters(new CompositeMeterRegistry(), false);
    }

    /** Whether anything is measured, so that what is asked for only to be measured need not be asked for. */
    public boolean areOn() {
        return on;
    }

    /** A counter; {@code _total} is put behind its name. */
    public Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    /** A histogram of times; {@code _seconds} is put behind its name. */
    public Timer timer(String name, String description, String... tags) {
        return Timer.builder(name)
                .description(description)
                .tags(tags)
                .serviceLevelObjectives(SPANS)
                .register(registry);
    }

    /** Returns a timer with a count and a sum; {@code _seconds} is put behind its name. */
    public Timer times(String name, String description, String... tags) {
        return Timer.builder(name).description(description).tags(tags).register(registry);
    }

    /** A number that is asked for when the metrics are. */
    public void gauge(String name, String description, Supplier<Number> value) {
        var _ = Gauge.builder(name, value).description(description).register(registry);
    }

    /** The same for one of several that differ by tags, which may be removed. */
    public Gauge gauge(String name, String description, Supplier<Number> value, String... tags) {
        return Gauge.builder(name, value).description(description).tags(tags).register(registry);
    }

    /** Shows a meter no more. */
    public void remove(Meter meter) {
        var _ = registry.remove(meter);
    }

    /** A histogram of how many things were done at once. */
    public DistributionSummary sizes(String name, String description) {
        return DistributionSummary.builder(name)
                .description(description)
                .serviceLevelObjectives(SIZES)
                .register(registry);
    }
}
