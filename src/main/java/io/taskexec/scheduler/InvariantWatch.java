package io.taskexec.scheduler;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.taskexec.check.CheckDepth;
import io.taskexec.check.Probe;
import io.taskexec.model.Finding;
import io.taskexec.model.LookThrottle;
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

    private final Probe probe;
    private final HeartbeatStore heartbeats;
    private final MeterRegistry registry;
    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
    private final AtomicLong lookedAt = new AtomicLong();
    private final LookThrottle throttle = new LookThrottle(INTERVAL, LookThrottle.RARE);
    private volatile boolean hasMore;
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
        return beat().chain(this::look).replaceWith(INTERVAL);
    }

    private Uni<?> look() {
        var began = System.nanoTime();
        // What was found for the first time may be gone already, and an alert waits for a few minutes only.
        var isAgain = hasMore;
        hasMore = false;
        return isAgain || throttle.isDue(began)
                ? probe.look(CheckDepth.QUICK)
                        .invoke(() -> throttle.looked(began, System.nanoTime()))
                        .onFailure()
                        .invoke(() -> throttle.failed(began, System.nanoTime()))
                        .invoke(this::publish)
                : Uni.createFrom().voidItem();
    }

    /** Not the first time: a scheduler that has just started may still be catching up. */
    private Uni<Void> beat() {
        var before = hasLived;
        hasLived = true;
        return before ? heartbeats.schedulerHasSettled() : Uni.createFrom().voidItem();
    }

    private void publish(List<Finding> findings) {
        hasMore = findings.stream().filter(this::publish).count() > 0;
        if (lookedAt.getAndSet(System.currentTimeMillis()) == 0) {
            Gauge.builder("taskexec.invariant.last.look.timestamp", () -> lookedAt.get() / 1000.0)
                    .baseUnit("seconds")
                    .description("When the invariants were last looked at")
                    .register(registry);
        }
    }

    /** Returns whether there is more of it than before. */
    private boolean publish(Finding finding) {
        var old =
                counts.computeIfAbsent(finding.invariant().name(), this::gauge).getAndSet(finding.count());
        if (finding.count() > old) {
            LOG.warnf(
                    "invariant violated: %s %d found: %s",
                    finding.invariant().sentence(), finding.count(), String.join(", ", finding.examples()));
        }
        return finding.count() > old;
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
