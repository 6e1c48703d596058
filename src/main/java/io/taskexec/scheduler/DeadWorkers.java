package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.LockedException;
import io.taskexec.store.worker.WorkerStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Makes the work of silent workers due at once, so that a killed process costs seconds and not a whole lease. */
@Singleton
final class DeadWorkers implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(DeadWorkers.class);

    /**
     * How long a process looks without a failure before it takes a worker for dead. What makes it fail may have kept
     * heartbeats from being written. After an outage of the database all
     * workers have been silent, and a process that starts then cannot know of it; heartbeats are back within that time.
     */
    private static final Duration WATCHED = Duration.ofSeconds(12);

    private final WorkerStore workers;
    private final SchedulerConfig config;
    private final Duration watched;

    // Of the loop alone.
    private @Nullable Long since;

    @Inject
    DeadWorkers(WorkerStore workers, SchedulerConfig config) {
        this(workers, config, WATCHED);
    }

    DeadWorkers(WorkerStore workers, SchedulerConfig config, Duration watched) {
        this.workers = workers;
        this.config = config;
        this.watched = watched;
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
                .chain(silent ->
                        !hasWatched() || silent.isEmpty() ? Uni.createFrom().voidItem() : reclaim(silent))
                .onFailure(failure -> !(failure instanceof LockedException))
                .invoke(() -> since = null)
                .replaceWith(config.reclaimInterval());
    }

    private boolean hasWatched() {
        var now = System.nanoTime();
        var begin = since == null ? now : since;
        since = begin;
        return now - begin >= watched.toNanos();
    }

    private Uni<Void> reclaim(List<UUID> silent) {
        return workers.reclaim(silent, config.workerSilence())
                .invoke(freed -> LOG.warnf("workers %s are silent, %d executions are due again", silent, freed))
                .replaceWithVoid();
    }
}
