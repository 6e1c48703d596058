package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.store.IdempotencyKeyStore;
import java.time.Duration;
import java.time.Instant;

/** Removes the idempotency keys that have expired, a small batch at a time. */
final class ExpiredKeys implements Duty {
    private static final int BATCH = 5_000;
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(100);
    private static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(1);

    private final IdempotencyKeyStore store;

    ExpiredKeys(IdempotencyKeyStore store) {
        this.store = store;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.sweep(Instant.now(), BATCH).map(seen -> seen == BATCH ? BETWEEN_BATCHES : BETWEEN_ROUNDS);
    }
}
