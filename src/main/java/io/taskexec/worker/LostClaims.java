package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.LeaseStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Releases executions that a claim of this worker, or their creation here, leased in a statement whose answer was lost;
 * the statement may have been run again with success. It also releases those that could not be handed back. Without
 * this they would wait for the end of their lease, and count as lost.
 */
@Singleton
final class LostClaims implements WorkerDuty {
    private static final Logger LOG = Logger.getLogger(LostClaims.class);
    private static final Duration BETWEEN = Duration.ofSeconds(2);

    private final LeaseStore store;
    private final RunningLeases running;
    private final WorkerIdentity worker;
    private final Duration lease;
    private @Nullable Long lookedAt;

    LostClaims(LeaseStore store, RunningLeases running, WorkerIdentity worker, WorkerConfig config) {
        this.store = store;
        this.running = running;
        this.worker = worker;
        this.lease = config.lease();
    }

    @Override
    public String name() {
        return "freeing lost claims";
    }

    @Override
    public Uni<Duration> runOnce() {
        var now = System.nanoTime();
        var lostAt = lostAt();
        if (lostAt == null || isOver(lostAt, now)) {
            return Uni.createFrom().item(BETWEEN);
        }
        return store.freeLost(worker.id(), running::has, running::wasCalled)
                .invoke(() -> lookedAt = now)
                .invoke(this::tell)
                .replaceWith(BETWEEN);
    }

    private @Nullable Long lostAt() {
        var unanswered = store.answerLostAt();
        var unreturned = running.unreturnedAt();
        if (unanswered == null || unreturned == null) {
            return unanswered == null ? unreturned : unanswered;
        }
        return unanswered - unreturned > 0 ? unanswered : unreturned;
    }

    /** Whether the lease has ended of what was claimed then, or a look has found all of it. */
    private boolean isOver(long lostAt, long now) {
        var looked = lookedAt;
        return now - lostAt >= lease.toNanos()
                || (looked != null && looked - lostAt >= store.untilLost().toNanos());
    }

    private void tell(int freed) {
        if (freed > 0) {
            LOG.warnf("%d executions were leased, though nothing here knew of them any more, and are due again", freed);
        }
    }
}
