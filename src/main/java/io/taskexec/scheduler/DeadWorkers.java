package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.LockedException;
import io.taskexec.store.worker.WorkerStore;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Makes the work of silent workers due at once, so that a killed process costs seconds and not a whole lease. */
@Singleton
final class DeadWorkers implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(DeadWorkers.class);

    /**
     * How long a process looks without a failure before it takes a worker for dead. What makes it fail may have kept
     * heartbeats from being written. After an outage of the database, or a step of its clock, all workers have been
     * silent, and a process that starts then cannot know of it; heartbeats are back within that time.
     */
    private static final Duration WATCHED = Duration.ofSeconds(12);

    /** So far from where a look expects it the database's clock may be. A worker reports every 5 s. */
    private static final Duration CLOCK_STEP = Duration.ofSeconds(2);

    private final WorkerStore workers;
    private final SchedulerConfig config;
    private final Duration watched;
    private final LongSupplier nanoTime;

    // Of the loop alone.
    private @Nullable Long since;
    private @Nullable Reading last;

    @Inject
    DeadWorkers(WorkerStore workers, SchedulerConfig config) {
        this(workers, config, WATCHED, System::nanoTime);
    }

    /** The same with another clock, as of {@link System#nanoTime}. */
    DeadWorkers(WorkerStore workers, SchedulerConfig config, Duration watched, LongSupplier nanoTime) {
        this.workers = workers;
        this.config = config;
        this.watched = watched;
        this.nanoTime = nanoTime;
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
                // Asked for after the workers: a step that makes them look silent is seen.
                .chain(silent -> readClock()
                        .chain(reading -> !hasWatched(reading) || silent.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : reclaim(silent)))
                .onFailure(failure -> !(failure instanceof LockedException))
                .invoke(() -> since = null)
                .replaceWith(config.reclaimInterval());
    }

    /**
     * A reading of the database's clock.
     *
     * @param asked when the database was asked for it, by this process's own clock
     * @param answered when its answer was there
     */
    private record Reading(Instant clock, long asked, long answered) {}

    private Uni<Reading> readClock() {
        var asked = nanoTime.getAsLong();
        return workers.clock().map(clock -> new Reading(clock, asked, nanoTime.getAsLong()));
    }

    private boolean hasWatched(Reading reading) {
        if (hasSteppedAhead(reading)) {
            since = null;
        }
        var begin = since == null ? reading.answered() : since;
        since = begin;
        return reading.answered() - begin >= watched.toNanos();
    }

    /**
     * Whether the database's clock has gone further than this process's own since the last look. All workers then look
     * as if they had been silent for as long. After a step back they look alive for as long, and all that has a time
     * waits: an operator is told.
     */
    private boolean hasSteppedAhead(Reading reading) {
        var before = last;
        last = reading;
        if (before == null) {
            return false;
        }
        var passed = Duration.between(before.clock(), reading.clock());
        var ahead = passed.minusNanos(reading.answered() - before.answered());
        // By the least time that can be between the readings: an answer that was slow is no step.
        var back = Duration.ofNanos(reading.asked() - before.answered()).minus(passed);
        if (back.compareTo(CLOCK_STEP) > 0) {
            LOG.warnf(
                    "the database's clock has gone back by %d ms: all that was due by the old clock waits for as long",
                    back.toMillis());
        }
        if (ahead.compareTo(CLOCK_STEP) <= 0) {
            return false;
        }
        LOG.warnf("the database's clock has gone ahead by %d ms, so workers are watched anew", ahead.toMillis());
        return true;
    }

    private Uni<Void> reclaim(List<UUID> silent) {
        return workers.reclaim(silent, config.workerSilence())
                .invoke(freed -> LOG.warnf("workers %s are silent, %d executions are due again", silent, freed))
                .replaceWithVoid();
    }
}
