package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Outcome;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The leases that this process holds, of what runs and of what waits for a slot. */
final class RunningLeases {
    private final Map<UUID, Lease> running = new ConcurrentHashMap<>();
    private volatile @Nullable CompletableFuture<Void> empty;

    void add(Lease lease) {
        running.put(lease.claim().executionId(), lease);
    }

    void remove(Lease lease) {
        running.remove(lease.claim().executionId(), lease);
        var waiting = empty;
        if (waiting != null && running.isEmpty()) {
            waiting.complete(null);
        }
    }

    boolean has(UUID executionId) {
        return running.containsKey(executionId);
    }

    Collection<Lease> all() {
        return running.values();
    }

    void cutAll(Outcome outcome) {
        running.values().forEach(lease -> lease.cut(outcome));
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
