package io.taskexec.lease;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.store.auth.ApiKeyStore;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Looks after leases that were handed out: ends attempts whose time is over, asks workers to give up attempts for
 * executions of priority 0, and forgets leases that have ended. It also hands back what no worker got because an
 * answer of the database was lost, and what could not be handed back before. It ends the waits of those whose keys are
 * not valid any more.
 */
@Singleton
final class LeaseWatch implements Duty {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final Duration BETWEEN_LOOKS_AT_KEYS = Duration.ofSeconds(5);

    /** A worker that is late may still end it, as long as no other one has it. */
    private static final Duration KNOWN_AFTER_END = Duration.ofSeconds(30);

    private final HeldLeases held;
    private final LeaseEnds ends;
    private final WaitingCalls calls;
    private final PulledPreemption preemption;
    private final PullClaims claims;
    private final ApiKeyStore keys;
    private final Loop loop;
    private long lookedAtKeys = System.nanoTime() - BETWEEN_LOOKS_AT_KEYS.toNanos();

    LeaseWatch(
            HeldLeases held,
            LeaseEnds ends,
            WaitingCalls calls,
            PulledPreemption preemption,
            PullClaims claims,
            ApiKeyStore keys,
            LoopTimer timer) {
        this.held = held;
        this.ends = ends;
        this.calls = calls;
        this.preemption = preemption;
        this.claims = claims;
        this.keys = keys;
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
        var isIdle = held.size() == 0;
        var looked = isIdle
                ? Uni.createFrom().voidItem()
                : ends.endOverdue(held.all(), now).chain(preemption::look);
        return looked.chain(() -> endForInvalidKeys(now))
                .chain(claims::freeLost)
                .replaceWith(isIdle ? BETWEEN_LOOKS_AT_KEYS : BETWEEN_LOOKS);
    }

    private Uni<Void> endForInvalidKeys(long now) {
        var ids = calls.keyIds();
        if (ids.isEmpty() || now - lookedAtKeys < BETWEEN_LOOKS_AT_KEYS.toNanos()) {
            return Uni.createFrom().voidItem();
        }
        lookedAtKeys = now;
        return keys.invalid(ids).invoke(calls::endWaitsOf).replaceWithVoid();
    }
}
