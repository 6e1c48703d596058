package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The leases that this process holds, of what runs and of what waits for a slot. */
@Singleton
final class RunningLeases {
    /** Longer than any lease holds: nothing is asked after its end. */
    private static final Duration REMEMBERED = Duration.ofHours(2);

    private final Map<UUID, Lease> running = new ConcurrentHashMap<>();

    /** Executions whose call ended without a recorded result, each with the moment at which it ended. */
    private final Map<UUID, Long> unrecorded = new ConcurrentHashMap<>();

    private volatile @Nullable CompletableFuture<Void> empty;
    private volatile @Nullable Long unreturnedAt;

    void add(Lease lease) {
        running.put(lease.claim().executionId(), lease);
    }

    void remove(Lease lease) {
        if (running.remove(lease.claim().executionId(), lease)) {
            lease.leave();
        }
        var waiting = empty;
        if (waiting != null && running.isEmpty()) {
            waiting.complete(null);
        }
    }

    /** The same for an attempt without a recorded result. */
    void removeUnrecorded(Lease lease) {
        if (lease.wasCalled()) {
            var now = System.nanoTime();
            unrecorded.values().removeIf(endedAt -> now - endedAt > REMEMBERED.toNanos());
            unrecorded.put(lease.claim().executionId(), now);
        }
        remove(lease);
    }

    /** Whether a call was begun here that ended without a recorded result. */
    boolean wasCalled(UUID executionId) {
        return unrecorded.containsKey(executionId);
    }

    /** Executions could not be handed back. */
    void unreturned() {
        unreturnedAt = System.nanoTime();
    }

    /** When executions could last not be handed back, by {@link System#nanoTime}; null when they always could. */
    @Nullable
    Long unreturnedAt() {
        return unreturnedAt;
    }

    /** Whether leases may hold on that nothing here will end. */
    boolean mayHoldSome() {
        var at = unreturnedAt;
        return !running.isEmpty() || (at != null && System.nanoTime() - at < REMEMBERED.toNanos());
    }

    boolean has(UUID executionId) {
        return running.containsKey(executionId);
    }

    Collection<Lease> all() {
        return running.values();
    }

    void cancelAll(Outcome outcome) {
        running.values().forEach(lease -> lease.cancel(outcome));
    }

    /** Comes when none is left; nothing may be added any more. */
    Uni<Void> whenEmpty() {
        var waiting = new CompletableFuture<Void>();
        empty = waiting;
        if (running.isEmpty()) {
            waiting.complete(null);
        }
        return Uni.createFrom().completionStage(waiting);
    }
}
