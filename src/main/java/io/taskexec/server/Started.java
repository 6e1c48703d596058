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
    private final RoleProgress roleProgress;

    Started(RoleProgress roleProgress) {
        this.roleProgress = roleProgress;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        return Uni.createFrom()
                .item(HealthCheckResponse.named("taskexec")
                        .status(roleProgress.hasStarted())
                        .build());
    }
}
