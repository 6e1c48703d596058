package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.event.EventStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventsConfig;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Removes events that are older than they are kept. Before that it moves pending events to the log, so that a new
 * follower need not wait for the events of a day.
 */
@Singleton
final class EventRetention implements SchedulerDuty {
    /** Narrow rows in the order of their key. */
    private static final int BATCH = 1000;

    private final Database database;
    private final EventStore store;
    private final EventsConfig config;
    private final RetentionMetrics metrics;

    EventRetention(Database database, EventStore store, EventsConfig config, RetentionMetrics metrics) {
        this.database = database;
        this.store = store;
        this.config = config;
        this.metrics = metrics;
    }

    @Override
    public String name() {
        return "removing old events";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        var beganAt = System.nanoTime();
        return store.moveIfAny()
                .chain(more -> database.now()
                        .chain(now -> store.removeBefore(now.minus(config.retention()), BATCH))
                        .invoke(metrics::removedEvents)
                        .map(removed -> more || removed == BATCH))
                .map(more -> more ? RemovalPace.restAfter(beganAt) : RemovalPace.BETWEEN_ROUNDS);
    }
}
