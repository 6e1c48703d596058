package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.worker.WorkerStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Makes the work of silent workers due at once, so that a killed process costs seconds and not a whole lease. */
@Singleton
final class DeadWorkers implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(DeadWorkers.class);

    private final WorkerStore workers;
    private final SchedulerConfig config;

    DeadWorkers(WorkerStore workers, SchedulerConfig config) {
        this.workers = workers;
        this.config = config;
    }

    @Override
    public String name() {
        return "freeing the work of dead workers";
    }

    @Override
    public String progressName() {
        return "dead_workers";
    }

    @Override
    public Uni<Duration> runOnce() {
        return workers.silentFor(config.workerSilence())
                .chain(silent -> silent.isEmpty() ? Uni.createFrom().voidItem() : reclaim(silent))
                .replaceWith(config.reclaimInterval());
    }

    private Uni<Void> reclaim(List<UUID> silent) {
        return workers.reclaim(silent, config.workerSilence())
                .invoke(freed -> LOG.warnf("workers %s are silent, %d executions are due again", silent, freed))
                .replaceWithVoid();
    }
}
