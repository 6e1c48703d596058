package io.taskexec;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Progress;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheckResponse;

/**
 * Alive while nothing is stuck that has to go on. The database is not asked, and trouble with it changes nothing: what it
 * makes fail has an end, by its limits of time, and is tried again. Only what neither succeeds nor fails needs the process
 * to be started anew.
 */
@org.eclipse.microprofile.health.Liveness
@Singleton
final class Liveness implements AsyncHealthCheck {
    private final Vitals vitals;

    Liveness(Vitals vitals) {
        this.vitals = vitals;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        var response = HealthCheckResponse.named("progress").status(vitals.isWithinBounds(Progress::stuck));
        vitals.forEach((name, progress) ->
                response.withData(name + ".stuck_ms", progress.stuck().toMillis()));
        return Uni.createFrom().item(response.build());
    }
}
