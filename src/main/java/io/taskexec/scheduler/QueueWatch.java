package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.QueueDepthStore;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;

/** Reads the state of queues, once for all callers that ask at about the same time. */
@Singleton
public final class QueueWatch {
    /** However often is asked, the database is not asked more often, also when it did not answer. */
    private static final long MAX_AGE = Duration.ofSeconds(5).toNanos();

    private final Uni<List<Depth>> depths;
    private volatile long askedAt = System.nanoTime();

    QueueWatch(QueueDepthStore store) {
        depths = Uni.createFrom()
                .deferred(() -> ask(store))
                .memoize()
                .until(() -> System.nanoTime() - askedAt > MAX_AGE);
    }

    private Uni<List<Depth>> ask(QueueDepthStore store) {
        askedAt = System.nanoTime();
        return store.depths();
    }

    /** All queues, as they were at most five seconds ago. */
    public Uni<List<Depth>> depths() {
        return depths;
    }
}
