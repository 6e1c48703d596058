package io.taskexec.client.worker;

import io.taskexec.client.api.Leases;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Waits for what the worker is to stop, at once, while it has no room for more, so that no lane asks for tasks. */
final class FullWorker extends Loop {
    private static final Duration LONG_POLL = Duration.ofSeconds(20);
    private static final long LOOK_AGAIN_MS = 250;

    private final String worker;
    private final Collection<String> endpoints;
    private final Leases leases;
    private final HeldLeases held;
    private final List<Lane> lanes;

    FullWorker(String worker, Collection<String> endpoints, Leases leases, HeldLeases held, List<Lane> lanes) {
        super("taskexec-full");
        this.worker = worker;
        this.endpoints = endpoints;
        this.leases = leases;
        this.held = held;
        this.lanes = lanes;
    }

    @Override
    void runOnce() throws InterruptedException {
        if (held.all().isEmpty() || lanes.stream().anyMatch(Lane::isAsking)) {
            Thread.sleep(LOOK_AGAIN_MS);
            return;
        }
        leases.awaitCancellations(worker, endpoints, LONG_POLL)
                .cancelled()
                .forEach(told -> held.cancel(told.lease(), told.reason()));
    }
}
