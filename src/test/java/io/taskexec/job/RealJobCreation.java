package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.TargetCheck;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.endpoint.TargetStore;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.QueueTtls;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.TestDb;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** The creation of jobs on a real database. */
public final class RealJobCreation {
    private RealJobCreation() {}

    public static RegisteredEndpoints endpoints(Database database) {
        return endpoints(database, new InputChecks());
    }

    static RegisteredEndpoints endpoints(Database database, InputChecks checks) {
        var store = new EndpointStore(database);
        var targets = new TargetEndpoints(database, store, new TargetStore(database), new OpenTargets());
        return new RegisteredEndpoints(store, new PayloadSpecStore(database), checks, targets);
    }

    /** Refuses the host "forbidden" alone. */
    private record OpenTargets() implements TargetCheck {
        @Override
        public Uni<@Nullable String> refusal(URI target) {
            return refusal(target.getHost());
        }

        @Override
        public Uni<@Nullable String> refusal(String host) {
            return Uni.createFrom().item(host.equals("forbidden") ? "is not allowed: it is forbidden." : null);
        }
    }

    public static JobCreation on(TestDb db, DueSignal dueSignal) {
        var keys = new IdempotencyKeyStore(db.database(), () -> 24);
        var region = db.region("default");
        var checks = new InputChecks();
        var database = db.database();
        return new JobCreation(
                endpoints(database, checks),
                stores(database, keys, dueSignal, region),
                new JobQueues(new QueueStore(database), new QueueTtls(new QueueSettingsStore(database))),
                checks,
                new DryRuns(database, keys, region));
    }

    static JobStores stores(Database database, IdempotencyKeyStore keys, DueSignal dueSignal, RegionFilter regions) {
        return JobStores.of(
                database,
                keys,
                dueSignal,
                regions,
                new FlowReleases(database, dueSignal),
                new DependencyReleases(database, dueSignal));
    }
}
