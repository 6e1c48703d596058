package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.worker.WorkerStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Makes the work of silent workers due at once, so that a killed process costs seconds and not a whole lease. */
@Singleton
final class DeadWorkers implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(DeadWorkers.class);

    /**
     * How long a process watches a worker before it takes it for dead. After an outage of the database all workers have
     * been silent, and a process that starts then cannot know of it; heartbeats are back within that time.
     */
    private static final Duration WATCHED = Duration.ofSeconds(12);

    private final WorkerStore workers;
    private final SchedulerConfig config;
    private final Duration watched;

    // Of the loop alone.
    private Map<UUID, Sighting> sightings = Map.of();

    @Inject
    DeadWorkers(WorkerStore workers, SchedulerConfig config) {
        this(workers, config, WATCHED);
    }

    DeadWorkers(WorkerStore workers, SchedulerConfig config, Duration watched) {
        this.workers = workers;
        this.config = config;
        this.watched = watched;
    }

    /**
     * A heartbeat.
     *
     * @param since when this process saw it first, by {@link System#nanoTime}
     */
    private record Sighting(Instant heartbeat, long since) {}

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
        return workers.lastSeen()
                .invoke(this::note)
                .chain(() -> workers.silentFor(config.workerSilence()))
                .map(silent -> silent.stream().filter(this::isWatched).toList())
                .chain(silent -> silent.isEmpty() ? Uni.createFrom().voidItem() : reclaim(silent))
                .replaceWith(config.reclaimInterval());
    }

    private void note(Map<UUID, Instant> heartbeats) {
        var now = System.nanoTime();
        var seen = new HashMap<UUID, Sighting>();
        heartbeats.forEach((worker, heartbeat) -> {
            var before = sightings.get(worker);
            seen.put(
                    worker,
                    before != null && before.heartbeat().equals(heartbeat) ? before : new Sighting(heartbeat, now));
        });
        sightings = seen;
    }

    private boolean isWatched(UUID worker) {
        var sighting = sightings.get(worker);
        return sighting != null && System.nanoTime() - sighting.since() >= watched.toNanos();
    }

    private Uni<Void> reclaim(List<UUID> silent) {
        return workers.reclaim(silent, config.workerSilence())
                .invoke(freed -> LOG.warnf("workers %s are silent, %d executions are due again", silent, freed))
                .replaceWithVoid();
    }
}
