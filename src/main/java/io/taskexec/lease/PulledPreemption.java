package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Fence;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Asks workers to give up attempts for executions of priority 0 that no worker takes. */
@Singleton
final class PulledPreemption {
    /** A worker that has room takes what is urgent within less. */
    private static final Duration LEFT_TO_OTHERS = Duration.ofMillis(200);

    private static final int MOST_AT_ONCE = 20;

    private final HeldLeases held;
    private final WaitingCalls calls;
    private final PullQueues queues;
    private final PulledClaims store;
    private final RegionFilter regions;

    PulledPreemption(HeldLeases held, WaitingCalls calls, PullQueues queues, PulledClaims store, RegionFilter regions) {
        this.held = held;
        this.calls = calls;
        this.queues = queues;
        this.store = store;
        this.regions = regions;
    }

    /** For each urgent execution that no worker waits for, asks for one attempt; the one that began last goes first. */
    Uni<Void> look() {
        var awaited = calls.awaited();
        var wanted = held.all().stream()
                .filter(HeldLease::canYield)
                .flatMap(lease -> lease.endpoints().stream())
                .filter(endpoint -> !awaited.contains(endpoint))
                .collect(Collectors.toSet());
        return wanted.isEmpty()
                ? Uni.createFrom().voidItem()
                : queues.of(wanted).chain(this::lookIn);
    }

    private Uni<Void> lookIn(Map<String, PullQueue> wanted) {
        return regions.numbers()
                .chain(own -> queues.urgent(wanted.values(), own, LEFT_TO_OTHERS, MOST_AT_ONCE))
                .chain(urgent -> {
                    var counts = new HashMap<String, Integer>();
                    wanted.forEach((endpoint, queue) -> counts.put(endpoint, urgent.getOrDefault(queue.queueId(), 0)));
                    counts.values().removeIf(count -> count == 0);
                    return counts.isEmpty()
                            ? Uni.createFrom().voidItem()
                            : forgetEnded(counts).invoke(() -> counts.forEach(this::ask));
                });
    }

    /** Of those that may be asked, and those that were, forgets what has ended at another process. */
    private Uni<Void> forgetEnded(Map<String, Integer> counts) {
        var known = held.all().stream()
                .filter(lease -> lease.canYield() || lease.cancelled() == CancelReason.PREEMPTED)
                .filter(lease -> lease.endpoints().stream().anyMatch(counts::containsKey))
                .sorted(HeldLease.latestFirst())
                .limit(Fence.MOST_ROWS)
                .toList();
        return store.stillLeased(known.stream().map(HeldLease::claim).toList())
                .invoke(leased -> known.stream()
                        .filter(lease -> !leased.contains(lease.claim().executionId()))
                        .forEach(held::remove))
                .replaceWithVoid();
    }

    private void ask(String endpoint, int urgent) {
        var asked = held.all().stream()
                .filter(lease -> lease.cancelled() == CancelReason.PREEMPTED && lease.asksFor(endpoint))
                .count();
        asking(endpoint).stream()
                .limit(Math.max(0, urgent - asked))
                .forEach(lease -> held.cancel(lease, CancelReason.PREEMPTED));
    }

    private List<HeldLease> asking(String endpoint) {
        return held.all().stream()
                .filter(lease -> lease.asksFor(endpoint) && lease.canYield())
                .sorted(HeldLease.latestFirst())
                .toList();
    }
}
