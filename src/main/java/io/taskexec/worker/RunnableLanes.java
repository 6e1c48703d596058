package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.QueueStore;
import java.time.Duration;

/** The lanes to claim from, asked for again once a second. Used by one loop only. */
final class RunnableLanes {
    private static final long MAX_AGE = Duration.ofSeconds(1).toNanos();

    private final QueueStore queues;
    private Integer[] lanes = {};
    private long askedAt = System.nanoTime() - MAX_AGE;

    RunnableLanes(QueueStore queues) {
        this.queues = queues;
    }

    Uni<Integer[]> current() {
        var now = System.nanoTime();
        if (now - askedAt < MAX_AGE) {
            return Uni.createFrom().item(lanes);
        }
        return queues.runnableLanes().invoke(found -> {
            lanes = found;
            askedAt = now;
        });
    }
}
