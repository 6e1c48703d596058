package io.taskexec.server;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.event.EventFeed;
import io.taskexec.api.execution.ExecutionWatch;
import io.taskexec.lease.EagerLeases;
import io.taskexec.lease.PullLeases;
import io.taskexec.model.TaskProgress;
import jakarta.inject.Singleton;

/**
 * The requests that do not end by themselves when the process stops: event streams, and those that wait for leases or
 * for the ends of executions.
 */
@Singleton
final class LongRequests {
    private final EventFeed events;
    private final PullLeases leases;
    private final EagerLeases eagerLeases;
    private final ExecutionWatch executions;

    LongRequests(EventFeed events, PullLeases leases, EagerLeases eagerLeases, ExecutionWatch executions) {
        this.events = events;
        this.leases = leases;
        this.eagerLeases = eagerLeases;
        this.executions = executions;
    }

    void start() {
        leases.start();
        eagerLeases.start();
    }

    /** The progress of the claims for those who wait for leases. */
    TaskProgress progress() {
        return leases.progress();
    }

    /** Ends all of them, and those that come; reads and claims nothing any more. */
    Uni<Void> stop() {
        executions.stop();
        return events.stop().chain(leases::stop);
    }
}
