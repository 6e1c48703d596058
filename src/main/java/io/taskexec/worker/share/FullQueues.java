package io.taskexec.worker.share;

import io.taskexec.model.ProgramClock;
import io.taskexec.store.execution.QueueRoom.Wait;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Keeps the queues whose limits let nothing begin at present. */
final class FullQueues {
    private final Map<Integer, Full> full = new HashMap<>();
    private long placesFreed;

    /**
     * A queue of which nothing may begin.
     *
     * @param until by {@link ProgramClock#nanoTime}
     */
    private record Full(long until, boolean forPlace) {}

    /** The number of places that were given back here, to be told with {@link #add}. */
    synchronized long placesFreed() {
        return placesFreed;
    }

    /** An execution that counted for the limit of its queue does not any more. */
    synchronized void placeFreed() {
        placesFreed++;
        full.values().removeIf(Full::forPlace);
    }

    /** @param freedBefore the places that were given back before the queue was found full */
    synchronized void add(int queueId, Wait wait, long freedBefore) {
        if (!wait.forPlace() || placesFreed == freedBefore) {
            full.put(queueId, new Full(ProgramClock.nanoTime() + wait.time().toNanos(), wait.forPlace()));
        }
    }

    synchronized boolean isFull(int queueId) {
        var until = full.get(queueId);
        if (until != null && until.until() - ProgramClock.nanoTime() <= 0) {
            full.remove(queueId);
            return false;
        }
        return until != null;
    }

    /** How long until the first of some queues is worth another look; null when none of them is full. */
    synchronized @Nullable Duration untilFirst(IntPredicate isWanted) {
        var now = ProgramClock.nanoTime();
        return full.entrySet().stream()
                .filter(entry -> isWanted.test(entry.getKey()))
                .map(entry -> Duration.ofNanos(Math.max(0, entry.getValue().until() - now)))
                .min(Duration::compareTo)
                .orElse(null);
    }
}
