package io.taskexec.scheduler;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Breaker.State;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.endpoint.BreakerStore.Active;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells in metrics how many endpoints have a breaker that is not closed. Which ones these are, the log and the API
 * tell: there may be more endpoints than a label should have values.
 */
@Singleton
final class BreakerMetrics implements SchedulerDuty {
    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final BreakerStore store;
    private final Map<State, AtomicLong> counts = new EnumMap<>(State.class);

    BreakerMetrics(BreakerStore store, MeterRegistry registry) {
        this.store = store;
        for (var state : EnumSet.complementOf(EnumSet.of(State.CLOSED))) {
            counts.put(state, gauge(registry, state));
        }
    }

    private static AtomicLong gauge(MeterRegistry registry, State state) {
        var count = new AtomicLong();
        Gauge.builder("taskexec.breaker.state", count, AtomicLong::get)
                .description("Endpoints whose circuit breaker is in this state")
                .tag("state", state.name().toLowerCase(Locale.ROOT))
                .strongReference(true)
                .register(registry);
        return count;
    }

    @Override
    public String name() {
        return "looking at breakers";
    }

    @Override
    public boolean isForMetricsOnly() {
        return true;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.active(Duration.ZERO).invoke(this::publish).replaceWith(INTERVAL);
    }

    private void publish(List<Active> active) {
        counts.forEach((state, count) ->
                count.set(active.stream().filter(one -> one.state() == state).count()));
    }
}
