package io.taskexec.server;

import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.filter.DrainFilter;
import io.taskexec.config.Role;
import io.taskexec.kafka.InboundJobs;
import io.taskexec.region.Regions;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.QueueTtls;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;

/** Starts and stops the api role; its port is opened by the framework. */
@Singleton
final class ApiRole {
    private static final Duration LAST_REQUESTS = Duration.ofSeconds(5);

    private final JobCreator jobCreator;
    private final QueueTtls queueTtls;
    private final Regions regions;
    private final InboundJobs inboundJobs;
    private final LongRequests longRequests;
    private final DrainFilter drainFilter;
    private final RoleProgress progress;

    ApiRole(
            JobCreator jobCreator,
            QueueTtls queueTtls,
            Regions regions,
            InboundJobs inboundJobs,
            LongRequests longRequests,
            DrainFilter drainFilter,
            RoleProgress progress) {
        this.jobCreator = jobCreator;
        this.queueTtls = queueTtls;
        this.regions = regions;
        this.inboundJobs = inboundJobs;
        this.longRequests = longRequests;
        this.drainFilter = drainFilter;
        this.progress = progress;
    }

    void start() {
        progress.watch(
                Role.API,
                () -> Map.of(
                        "jobs",
                        jobCreator.progress().and(queueTtls.progress()),
                        "leases",
                        longRequests.progress(),
                        "heartbeat",
                        regions.progress()));
        longRequests.start();
        inboundJobs.start();
    }

    /** Reads no more records; the result comes when those that were read are stored. */
    Uni<Void> stopReading() {
        return inboundJobs.stop();
    }

    /** Answers the requests that are under way, and refuses new ones. */
    Uni<Void> stop() {
        return longRequests.stop().chain(this::drain);
    }

    /** A request that takes longer is aborted. */
    private Uni<Void> drain() {
        return drainFilter
                .close()
                .ifNoItem()
                .after(LAST_REQUESTS)
                .fail()
                .onFailure(TimeoutException.class)
                .recoverWithNull();
    }
}
