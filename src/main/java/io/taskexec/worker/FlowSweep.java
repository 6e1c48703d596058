package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.flow.FlowReleases;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Releases executions of flow keys whose next token has come, or whose release was not done because a process died
 * before it. All processes do it: a release locks the key.
 */
@Singleton
final class FlowSweep implements WorkerDuty {
    /** A key is due half a second before its next token, so none comes late. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(400);

    private final FlowReleases releases;
    private final QueueRotation queues;

    FlowSweep(FlowReleases releases, QueueRotation queues) {
        this.releases = releases;
        this.queues = queues;
    }

    @Override
    public String name() {
        return "releasing executions of flow keys";
    }

    @Override
    public String progressName() {
        return "flow_keys";
    }

    @Override
    public boolean followsClock() {
        return true;
    }

    @Override
    public Uni<Duration> runOnce() {
        return queues.haveKeys()
                ? releases.due()
                        .call(releases::release)
                        .call(releases::releaseRequested)
                        // A full look is followed by the next one at once.
                        .map(keys -> keys.size() < FlowReleases.MOST_KEYS ? BETWEEN_LOOKS : Duration.ZERO)
                : Uni.createFrom().item(BETWEEN_LOOKS);
    }
}
