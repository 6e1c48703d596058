package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.execution.QueueDepthStore;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import io.taskexec.store.sql.RecentRead;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;

/** Reads the state of queues, once for all callers that ask at about the same time. */
@Singleton
public final class QueueWatch {
    private static final Duration MAX_AGE = Duration.ofSeconds(5);

    private final RecentRead<List<Depth>> depths;

    QueueWatch(QueueDepthStore store) {
        depths = new RecentRead<>(MAX_AGE, store::depths);
    }

    /** All queues, as they were at most five seconds ago. */
    public Uni<List<Depth>> depths() {
        return depths.get();
    }
}
