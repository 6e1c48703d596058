package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.worker.observe.ActivityReport;
import io.taskexec.worker.pressure.Pressure;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Sends the heartbeats of this worker, so that its work is not taken over while it lives, with what it does at the
 * moment.
 */
@Singleton
final class Heartbeat implements WorkerDuty {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final WorkerStore workers;
    private final RegionFilter regions;
    private final WorkerIdentity worker;
    private final Slots slots;
    private final RunningLeases running;
    private final ActivityReport report;
    private final Pressure pressure;

    Heartbeat(
            WorkerStore workers,
            RegionFilter regions,
            WorkerIdentity worker,
            Slots slots,
            RunningLeases running,
            ActivityReport report,
            Pressure pressure) {
        this.workers = workers;
        this.regions = regions;
        this.worker = worker;
        this.slots = slots;
        this.running = running;
        this.report = report;
        this.pressure = pressure;
    }

    @Override
    public String name() {
        return "heartbeat";
    }

    @Override
    public String progressName() {
        return "heartbeat";
    }

    @Override
    public Uni<Duration> runOnce() {
        var activity = report.now(slots.size(), slots.used(), pressure.leastUrgent(), callsByEndpoint());
        return workers.beat(worker.id(), WorkerIdentity.host(), regions.home(), activity, pressure.measured())
                .replaceWith(INTERVAL);
    }

    private Map<String, Integer> callsByEndpoint() {
        var calls = new HashMap<String, Integer>();
        running.all().stream()
                .filter(Lease::wasCalled)
                .forEach(lease -> calls.merge(lease.claim().endpoint(), 1, Integer::sum));
        return calls;
    }

    /** One that could not end or hand back all that it holds is left to be found silent, so that others take over. */
    @Override
    public Uni<Void> leave() {
        return running.mayHoldSome() ? Uni.createFrom().voidItem() : workers.leave(worker.id());
    }
}
