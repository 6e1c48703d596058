package io.taskexec.server;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Progress;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheckResponse;

/** Well while everything that has to go on succeeds when it should, which takes the database. */
@io.smallrye.health.api.Wellness
@Singleton
final class Wellness implements AsyncHealthCheck {
    private final Vitals vitals;

    Wellness(Vitals vitals) {
        this.vitals = vitals;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        var response = HealthCheckResponse.named("last successes").status(vitals.isWithinBounds(Progress::failing));
        vitals.forEach((name, progress) -> {
            var since = progress.sinceSuccess();
            if (since != null) {
                response.withData(name + ".last_success_ms", since.toMillis());
            }
            response.withData(name + ".failing_ms", progress.failing().toMillis());
        });
        return Uni.createFrom().item(response.build());
    }
}
