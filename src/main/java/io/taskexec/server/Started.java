package io.taskexec.server;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Startup;

/** Started once the schema is up to date and the roles run. */
@Startup
@Singleton
final class Started implements AsyncHealthCheck {
    private final Vitals vitals;

    Started(Vitals vitals) {
        this.vitals = vitals;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        return Uni.createFrom()
                .item(HealthCheckResponse.named("taskexec")
                        .status(vitals.hasStarted())
                        .build());
    }
}
