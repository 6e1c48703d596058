package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.worker.adaptive.AdaptiveLimits;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Adapts the limits of endpoints to the answers of their receivers. */
@Singleton
final class AdaptiveWatch implements WorkerDuty {
    private final AdaptiveLimits limits;

    AdaptiveWatch(AdaptiveLimits limits) {
        this.limits = limits;
    }

    @Override
    public String name() {
        return "adapting limits of endpoints";
    }

    @Override
    public Uni<Duration> runOnce() {
        return limits.look();
    }
}
