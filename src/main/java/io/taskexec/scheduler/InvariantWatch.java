package io.taskexec.scheduler;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.check.CheckDepth;
import io.taskexec.check.Probe;
import io.taskexec.loop.LookPace;
import io.taskexec.model.Finding;
import io.taskexec.store.region.HeartbeatStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/**
 * Looks every minute at what {@code taskexec check} looks at, but not at as much of it, and tells in metrics and logs.
 */
@Singleton
final class InvariantWatch implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(InvariantWatch.class);
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    /** For a look to occupy a two-hundredth of the time at most, which the p99 of jobs does not show. */
    private static final int PAUSES_PER_LOOK = 200;

    private final Probe probe;
    private final HeartbeatStore heartbeats;
    private final MeterRegistry registry;
    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
    private final AtomicLong lookedAt = new AtomicLong();
    private boolean hasLived;

    InvariantWatch(Probe probe, HeartbeatStore heartbeats, MeterRegistry registry) {
        this.probe = probe;
        this.heartbeats = heartbeats;
        this.registry = registry;
    }

    @Override
    public String name() {
        return "looking at invariants";
    }

    @Override
    public Uni<Duration> runOnce() {
        return beat().chain(() ->
                LookPace.look(probe.look(CheckDepth.QUICK).invoke(this::publish), INTERVAL, PAUSES_PER_LOOK));
    }

    /** Not the first time: a scheduler that has just started may still be catching up. */
    private Uni<Void> beat() {
        var before = hasLived;
        hasLived = true;
        return before ? heartbeats.schedulerHasSettled() : Uni.createFrom().voidItem();
    }

    private void publish(List<Finding> findings) {
        findings.forEach(this::publish);
        if (lookedAt.getAndSet(System.currentTimeMillis()) == 0) {
            Gauge.builder("taskexec.invariant.last.look.timestamp", () -> lookedAt.get() / 1000.0)
                    .baseUnit("seconds")
                    .description("When the invariants were last looked at")
                    .register(registry);
        }
    }

    private void publish(Finding finding) {
        var old =
                counts.computeIfAbsent(finding.invariant().name(), this::gauge).getAndSet(finding.count());
        if (finding.count() > old) {
            LOG.warnf(
                    "does not hold: %s %d found: %s",
                    finding.invariant().sentence(), finding.count(), String.join(", ", finding.examples()));
        }
    }

    private AtomicLong gauge(String name) {
        var count = new AtomicLong();
        Gauge.builder("taskexec.invariant.violations", count, AtomicLong::get)
                .description("How often something does not hold that always must")
                .tag("invariant", name)
                .strongReference(true)
                .register(registry);
        return count;
    }
}
