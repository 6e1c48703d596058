package io.taskexec.server;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Database;
import jakarta.enterprise.inject.Default;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheckResponse;

/** Ready while the database answers and the process is not shutting down. */
@org.eclipse.microprofile.health.Readiness
@Default
@Singleton
final class Readiness implements AsyncHealthCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private volatile boolean draining;

    Readiness(Database database) {
        this.database = database;
    }

    void drain() {
        draining = true;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        return database.answers(PATIENCE)
                .map(answers -> HealthCheckResponse.named("taskexec")
                        .status(answers && !draining)
                        .withData("database", answers)
                        .withData("draining", draining)
                        .build());
    }
}
