package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.WorkerStore;
import io.taskexec.store.region.RegionFilter;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Sends the heartbeats of this worker, so that its work is not taken over while it lives. */
@Singleton
final class Heartbeat implements WorkerDuty {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final WorkerStore workers;
    private final RegionFilter regions;
    private final WorkerIdentity worker;

    Heartbeat(WorkerStore workers, RegionFilter regions, WorkerIdentity worker) {
        this.workers = workers;
        this.regions = regions;
        this.worker = worker;
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
        return workers.beat(worker.id(), WorkerIdentity.host(), regions.home()).replaceWith(INTERVAL);
    }

    @Override
    public Uni<Void> leave() {
        return workers.leave(worker.id());
    }
}
