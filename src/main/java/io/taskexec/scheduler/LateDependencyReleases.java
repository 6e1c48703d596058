package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.DependencyReleases;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Releases the children of jobs whose process died between the end of the job and that. */
@Singleton
final class LateDependencyReleases implements SchedulerDuty {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final DependencyReleases dependencyReleases;

    LateDependencyReleases(DependencyReleases dependencyReleases) {
        this.dependencyReleases = dependencyReleases;
    }

    @Override
    public String name() {
        return "releasing the children of ended jobs";
    }

    @Override
    public String progressName() {
        return "joins";
    }

    @Override
    public Uni<Duration> runOnce() {
        return dependencyReleases.releaseIfAny().replaceWith(PAUSE);
    }
}
