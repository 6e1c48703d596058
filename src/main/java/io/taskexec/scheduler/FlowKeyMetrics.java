package io.taskexec.scheduler;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.store.flow.FlowUsageStore;
import io.taskexec.store.flow.FlowUsageStore.OfEndpoint;
import io.taskexec.store.flow.FlowUsageStore.Usage;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Tells in metrics how far the limits of flow keys are used: of the endpoints with the most parked executions each, of
 * all others together. An endpoint without keys in use is not shown.
 */
@Singleton
final class FlowKeyMetrics implements SchedulerDuty {
    private static final Duration INTERVAL = Duration.ofSeconds(15);

    /** An endpoint that is called so is counted with them. */
    private static final String OTHERS = "other";

    private final FlowUsageStore store;
    private final MeterRegistry registry;
    private final Map<Shown, Meter> gauges = new HashMap<>();
    private volatile Map<String, OfEndpoint> usage = Map.of();

    FlowKeyMetrics(FlowUsageStore store, MeterRegistry registry) {
        this.store = store;
        this.registry = registry;
    }

    private record Shown(String endpoint, Kind kind) {}

    /** The metrics of an endpoint. The functions have no state. */
    @SuppressWarnings("ImmutableEnumChecker")
    private enum Kind {
        PLACES("taskexec.flow.places", "Executions that hold places of flow keys, at least so many", OfEndpoint::open),
        LINES(
                "taskexec.flow.lines",
                "Flow keys in whose lines executions are parked, at least so many",
                OfEndpoint::lines),
        LINE_AGE(
                "taskexec.flow.line.age",
                "For how long the head of a line of flow keys has been due that has been for longest",
                OfEndpoint::oldestAge),
        TOKENS(
                "taskexec.flow.tokens",
                "Executions that may begin at once by the rate of the endpoint's own key",
                one -> Objects.requireNonNullElse(one.tokens(), 0L)),
        ADAPTIVE_LIMIT(
                "taskexec.adaptive.limit",
                "Executions of the endpoint that may run at once since its receiver has refused more",
                one -> Objects.requireNonNullElse(one.adaptiveLimit(), 0));

        private final String metric;
        private final String description;
        private final ToDoubleFunction<OfEndpoint> value;

        Kind(String metric, String description, ToDoubleFunction<OfEndpoint> value) {
            this.metric = metric;
            this.description = description;
            this.value = value;
        }
    }

    @Override
    public String name() {
        return "looking at flow keys";
    }

    @Override
    public boolean isForMetricsOnly() {
        return true;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.usage().invoke(this::publish).replaceWith(INTERVAL);
    }

    void publish(Usage found) {
        var now = new HashMap<String, OfEndpoint>();
        found.endpoints().forEach(one -> {
            if (!one.endpoint().equals(OTHERS)) {
                now.put(one.endpoint(), one);
            }
        });
        var open =
                found.open() - now.values().stream().mapToLong(OfEndpoint::open).sum();
        var lines = found.lines()
                - now.values().stream().mapToLong(OfEndpoint::lines).sum();
        if (open + lines > 0) {
            now.put(OTHERS, new OfEndpoint(OTHERS, open, lines, 0, 0, null, null));
        }
        usage = now;
        gauges.entrySet().removeIf(entry -> {
            var isGone = !isTold(entry.getKey());
            if (isGone) {
                registry.remove(entry.getValue());
            }
            return isGone;
        });
        now.keySet().forEach(this::show);
    }

    private boolean isTold(Shown shown) {
        var one = usage.get(shown.endpoint());
        return one != null
                && switch (shown.kind()) {
                    case PLACES, LINES -> true;
                    case LINE_AGE -> !shown.endpoint().equals(OTHERS);
                    case TOKENS -> one.tokens() != null;
                    case ADAPTIVE_LIMIT -> one.adaptiveLimit() != null;
                };
    }

    private void show(String endpoint) {
        for (var kind : Kind.values()) {
            var shown = new Shown(endpoint, kind);
            if (isTold(shown)) {
                gauges.computeIfAbsent(shown, this::gauge);
            }
        }
    }

    private Meter gauge(Shown shown) {
        var kind = shown.kind();
        return Gauge.builder(kind.metric, () -> {
                    var one = usage.get(shown.endpoint());
                    return one == null ? 0 : kind.value.applyAsDouble(one);
                })
                .baseUnit(kind == Kind.LINE_AGE ? "seconds" : null)
                .description(kind.description)
                .tag("endpoint", shown.endpoint())
                .strongReference(true)
                .register(registry);
    }
}
