package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.Target;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.endpoint.TargetStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import jakarta.inject.Singleton;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes that are only tried: with {@code ?dry_run=true} a request is checked and done like any other, in a transaction
 * that is rolled back, so that there is no second copy of a check.
 */
@Singleton
public final class DryRuns {
    private final Database database;
    private final IdempotencyKeyStore keys;
    private final RegionFilter regions;

    DryRuns(Database database, IdempotencyKeyStore keys, RegionFilter regions) {
        this.database = database;
        this.keys = keys;
        this.regions = regions;
    }

    /**
     * Does a write with a store, or tries it. Only what uses that store may be in a write: one that is tried holds a
     * connection, and must not wait for another one.
     *
     * @param like makes such a store on a database
     */
    public <S, T extends @Nullable Object> Uni<T> write(
            boolean dryRun, S store, Function<Database, S> like, Function<S, Uni<T>> write) {
        return dryRun ? database.rehearse(rehearsal -> write.apply(like.apply(rehearsal))) : write.apply(store);
    }

    /** Stores a job or a version of one, or tries it: with its hidden endpoint, if it has a target. */
    <T extends @Nullable Object> Uni<T> write(
            boolean dryRun, JobStores stores, String endpoint, Function<JobStores, Uni<T>> write) {
        if (!dryRun) {
            return write.apply(stores);
        }
        return database.rehearse(rehearsal -> Target.isName(endpoint)
                ? new TargetStore(rehearsal).create(endpoint).chain(() -> write.apply(jobStores(rehearsal)))
                : write.apply(jobStores(rehearsal)));
    }

    private JobStores jobStores(Database rehearsal) {
        // No process is woken by a transaction that is rolled back.
        return JobStores.of(
                rehearsal,
                keys,
                new DueSignal(),
                regions,
                FlowReleases.none(rehearsal),
                DependencyReleases.none(rehearsal));
    }
}
