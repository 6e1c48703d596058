package io.taskexec.server;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheckResponse;

/**
 * Live while no loop is stuck and no event loop is blocked. The database is not asked, and an outage changes nothing:
 * statements fail by their timeouts and are repeated. Only a loop that neither succeeds nor fails needs a restart of
 * the process.
 */
@org.eclipse.microprofile.health.Liveness
@Singleton
final class Liveness implements AsyncHealthCheck {
    /**
     * Nothing may block an event loop for a tenth of a second, so this is no matter of load; but a pause of the
     * collector or of the machine, after which the loops go on by themselves, may last for seconds.
     */
    private static final Duration LONGEST_BLOCK = Duration.ofSeconds(20);

    private final RoleProgress roleProgress;
    private final EventLoopWatch eventLoops;
    private final Duration longestBlock;

    @Inject
    Liveness(RoleProgress roleProgress, EventLoopWatch eventLoops) {
        this(roleProgress, eventLoops, LONGEST_BLOCK);
    }

    /** @param longestBlock how long an event loop may be blocked */
    Liveness(RoleProgress roleProgress, EventLoopWatch eventLoops, Duration longestBlock) {
        this.roleProgress = roleProgress;
        this.eventLoops = eventLoops;
        this.longestBlock = longestBlock;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        var block = eventLoops.longestBlock();
        var response = HealthCheckResponse.named("progress")
                .status(roleProgress.isWithinBounds(TaskProgress::stuck) && block.compareTo(longestBlock) <= 0)
                .withData("event_loops.blocked_ms", block.toMillis());
        roleProgress.forEach((name, progress) ->
                response.withData(name + ".stuck_ms", progress.stuck().toMillis()));
        return Uni.createFrom().item(response.build());
    }
}
