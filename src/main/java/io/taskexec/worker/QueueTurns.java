package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.QueueStore;
import java.time.Duration;
import java.util.List;

/**
 * The queues to claim from. A claim empties the first one first, so every second one is for one queue alone, each in its
 * turn: no queue is kept waiting by a longer one. Used by one loop only.
 */
final class QueueTurns {
    private static final long MAX_AGE = Duration.ofSeconds(1).toNanos();

    private final QueueStore store;
    private List<Integer> queues = List.of();
    private long askedAt = System.nanoTime() - MAX_AGE;
    private int turns;

    QueueTurns(QueueStore store) {
        this.store = store;
    }

    /**
     * What one claim is for.
     *
     * @param queues to claim from first
     * @param all to claim from when those have too little
     */
    record Turn(List<Integer> queues, List<Integer> all) {
        boolean isForAll() {
            return queues.size() == all.size();
        }
    }

    /** Whose turn it is; the queues themselves are asked for once a second. */
    Uni<Turn> next() {
        var now = System.nanoTime();
        if (now - askedAt < MAX_AGE) {
            return Uni.createFrom().item(turn());
        }
        return store.runnable().map(found -> {
            queues = found;
            askedAt = now;
            return turn();
        });
    }

    private Turn turn() {
        turns = (turns + 1) % (2 * queues.size());
        return new Turn(turns % 2 == 0 ? queues : List.of(queues.get(turns / 2)), queues);
    }
}
