package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.pull.PullQueues.PullQueue;
import io.taskexec.store.region.RegionFilter;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Looks after leases that were handed out: ends attempts whose time is over, asks workers to give up attempts for
 * executions of priority 0, and forgets leases that have ended.
 */
@Singleton
final class LeaseWatch implements Duty {
    /** What was interrupted so often runs to its end, whatever waits. */
    static final int MOST_INTERRUPTIONS = 3;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final Duration IDLE = Duration.ofHours(1);

    /** A worker that is late may still end it, as long as no other one has it. */
    private static final Duration KNOWN_AFTER_END = Duration.ofSeconds(30);

    /** A worker that has room takes what is urgent within less. */
    private static final Duration LEFT_TO_OTHERS = Duration.ofMillis(200);

    private static final int MOST_AT_ONCE = 20;

    private final HeldLeases held;
    private final LeaseActions actions;
    private final LeaseBroker broker;
    private final PullQueues queues;
    private final RegionFilter regions;
    private final Loop loop;

    LeaseWatch(
            HeldLeases held,
            LeaseActions actions,
            LeaseBroker broker,
            PullQueues queues,
            RegionFilter regions,
            LoopTimer timer) {
        this.held = held;
        this.actions = actions;
        this.broker = broker;
        this.queues = queues;
        this.regions = regions;
        this.loop = new Loop("looking after leases of pull workers", this, timer);
    }

    void start() {
        held.onFirst(loop::wake);
        loop.start();
    }

    Uni<Void> stop() {
        return loop.stop();
    }

    @Override
    public Uni<Duration> runOnce() {
        var now = System.nanoTime();
        held.all().stream()
                .filter(lease -> lease.hasEndedFor(KNOWN_AFTER_END, now))
                .toList()
                .forEach(held::remove);
        if (held.size() == 0) {
            return Uni.createFrom().item(IDLE);
        }
        return endOverdue(now).chain(this::preempt).replaceWith(BETWEEN_LOOKS);
    }

    private Uni<Void> endOverdue(long now) {
        var overdue = held.all().stream().filter(lease -> lease.isOverdue(now)).toList();
        return overdue.isEmpty()
                ? Uni.createFrom().voidItem()
                : Uni.join()
                        .all(overdue.stream().map(this::timeOut).toList())
                        .andFailFast()
                        .replaceWithVoid();
    }

    private Uni<Void> timeOut(HeldLease lease) {
        var failure = new Failure(Failure.Type.TIMEOUT, "The attempt took longer than its timeout.");
        return actions.end(lease, new Outcome.RetryableFailure(failure, null))
                .invoke(ended -> {
                    held.remove(lease);
                    if (ended) {
                        held.cancel(lease, CancelReason.TIMED_OUT);
                        broker.look();
                    }
                })
                .replaceWithVoid();
    }

    /** For each urgent execution that no worker waits for, asks for one attempt; the one that began last goes first. */
    private Uni<Void> preempt() {
        var awaited = broker.awaited();
        var wanted = held.all().stream()
                .filter(HeldLease::canYield)
                .flatMap(lease -> lease.endpoints().stream())
                .filter(endpoint -> !awaited.contains(endpoint))
                .collect(Collectors.toSet());
        return wanted.isEmpty()
                ? Uni.createFrom().voidItem()
                : queues.of(wanted).chain(this::preemptIn);
    }

    private Uni<Void> preemptIn(Map<String, PullQueue> wanted) {
        return regions.numbers()
                .chain(own -> queues.urgent(wanted.values(), own, LEFT_TO_OTHERS, MOST_AT_ONCE))
                .invoke(urgent -> {
                    wanted.forEach((endpoint, queue) -> preempt(endpoint, urgent.getOrDefault(queue.queueId(), 0)));
                    broker.look();
                })
                .replaceWithVoid();
    }

    private void preempt(String endpoint, int urgent) {
        held.all().stream()
                .filter(lease -> lease.asksFor(endpoint) && lease.canYield())
                .sorted(Comparator.comparing((HeldLease lease) -> lease.claim().executionId())
                        .reversed())
                .limit(Math.max(0, urgent - asked(endpoint)))
                .forEach(lease -> held.cancel(lease, CancelReason.PREEMPTED));
    }

    /** Those that were asked for before and have not been given up yet. */
    private long asked(String endpoint) {
        return held.all().stream()
                .filter(lease -> lease.cancelled() == CancelReason.PREEMPTED && lease.asksFor(endpoint))
                .count();
    }
}
