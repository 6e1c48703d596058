package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.execution.RetentionStore.LeftOver;
import io.taskexec.store.history.OldDays;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Removal;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Removes history, operations and entries of the audit log that are older than they are kept: whole days where history
 * has such partitions, and a small batch at a time of all else.
 */
@Singleton
final class Retention implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(Retention.class);
    private static final UUID START = new UUID(0, 0);
    private static final LeftOver[] LEFT_OVER = LeftOver.values();

    private final Database database;
    private final RetentionStore store;
    private final OldDays days;
    private final SchedulerConfig config;
    private final RetentionMetrics metrics;
    private UUID position = START;

    /** How many of the walks of this round are over: first that of executions. */
    private int walked;

    /** What is left to be removed in this round; null before it has begun. */
    private OldDays.@Nullable Result left;

    /** Whether the last round that ended has left a day to the next one. */
    private boolean isBusy;

    /** Whether this round has passed over a failure. */
    private boolean isPassedOver;

    Retention(Database database, RetentionStore store, OldDays days, SchedulerConfig config, RetentionMetrics metrics) {
        this.database = database;
        this.store = store;
        this.days = days;
        this.config = config;
        this.metrics = metrics;
    }

    @Override
    public String name() {
        return "removing old history";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        if (config.retentionDays() == 0) {
            return Uni.createFrom().item(RemovalPace.BETWEEN_ROUNDS);
        }
        metrics.begins();
        var beganAt = System.nanoTime();
        // By the clock of the database: one of ours that is wrong must not cost history.
        return database.now()
                .map(now -> now.minus(config.retention()))
                .chain(this::remove)
                .map(more -> {
                    if (more) {
                        return RemovalPace.restAfter(beganAt);
                    }
                    isPassedOver = false;
                    metrics.ran();
                    return RemovalPace.restAfterRound(isBusy);
                });
    }

    private Uni<Boolean> remove(Instant end) {
        return removeHistory(end)
                // With each batch, since those of executions may never come to an end where many expire.
                .chain(more -> removeOthers(end)
                        .map(others -> more || others)
                        // The round ends with the failure, once all history is removed.
                        .onFailure(_ -> more)
                        .recoverWithItem(this::passOver));
    }

    /** Says so once, since the end of the round may never come. */
    private boolean passOver(Throwable failure) {
        if (!isPassedOver) {
            isPassedOver = true;
            LOG.warnf("what is old beside history cannot be removed; the removal of history goes on: %s", failure);
        }
        return true;
    }

    /** Drops a day or removes a batch; returns whether there is more. */
    private Uni<Boolean> removeHistory(Instant end) {
        var found = left;
        if (found != null) {
            return removeBatch(end, found);
        }
        return days.dropOne(end).chain(result -> {
            metrics.removedExecutions(result.removed());
            if (result.dropped()) {
                return Uni.createFrom().item(true);
            }
            left = result;
            return removeBatch(end, result);
        });
    }

    private Uni<Boolean> removeBatch(Instant end, OldDays.Result found) {
        var leftOverBefore = found.leftOverBefore();
        if (walked == 0) {
            return store.deleteEndedBefore(end, position, found.endedBefore(), RemovalPace.BATCH)
                    .invoke(batch -> metrics.removedExecutions(batch.removed()))
                    .chain(batch -> goOn(batch, end, found));
        }
        if (leftOverBefore == null || walked > LEFT_OVER.length) {
            walked = 0;
            left = null;
            isBusy = found.isBusy();
            return Uni.createFrom().item(false);
        }
        return store.deleteLeftOver(LEFT_OVER[walked - 1], position, leftOverBefore, RemovalPace.BATCH)
                .chain(batch -> goOn(batch, end, found));
    }

    private Uni<Boolean> goOn(Removal batch, Instant end, OldDays.Result found) {
        var last = batch.last();
        if (last != null && batch.seen() == RemovalPace.BATCH) {
            position = last;
            return Uni.createFrom().item(true);
        }
        position = START;
        walked++;
        return removeBatch(end, found);
    }

    /** Of what is little beside executions; returns whether there may be more. */
    private Uni<Boolean> removeOthers(Instant end) {
        return store.deleteAuditBefore(end, RemovalPace.BATCH)
                .invoke(metrics::removedAuditEntries)
                .chain(most -> store.deleteEventsBefore(end, RemovalPace.BATCH).map(events -> Math.max(most, events)))
                .chain(most -> store.deleteOperationsBefore(end, RemovalPace.BATCH)
                        .map(operations -> Math.max(most, operations)))
                .map(most -> most == RemovalPace.BATCH);
    }
}
