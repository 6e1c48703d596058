package io.taskexec.server;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.health.api.HealthGroup;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheckResponse;

/** Up while every loop of the roles succeeds in time, which takes the database. */
@HealthGroup("progress")
@Singleton
final class ProgressCheck implements AsyncHealthCheck {
    private final RoleProgress roleProgress;

    ProgressCheck(RoleProgress roleProgress) {
        this.roleProgress = roleProgress;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        var response =
                HealthCheckResponse.named("last successes").status(roleProgress.isWithinBounds(TaskProgress::failing));
        roleProgress.forEach((name, progress) -> {
            var since = progress.sinceSuccess();
            if (since != null) {
                response.withData(name + ".last_success_ms", since.toMillis());
            }
            response.withData(name + ".failing_ms", progress.failing().toMillis());
        });
        return Uni.createFrom().item(response.build());
    }
}
