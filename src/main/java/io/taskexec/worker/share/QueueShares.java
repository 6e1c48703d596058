package io.taskexec.worker.share;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.QueueShare;
import io.taskexec.store.execution.LaneDirectory;
import io.taskexec.store.execution.SharedClaims.Answer;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Lanes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Divides the room for claims among the lane groups that have something due, as the directory of the lanes has it. It is
 * read when all that was due has been claimed, and while there is more, every 100 ms. Used by one loop only.
 */
@Singleton
public final class QueueShares {
    private static final long MAX_AGE = Duration.ofMillis(100).toNanos();

    /** A reading of many lanes is kept longer: all readings take one part of the time in so many. */
    private static final int PARTS = 20;

    private final LaneDirectory directory;
    private final LineShares shares = new LineShares();
    private final Set<Integer> due = new TreeSet<>();
    private final Set<Integer> agedFirst = new HashSet<>();
    private @Nullable Duration untilNext;
    private long outdatedAt = System.nanoTime();

    public QueueShares(LaneDirectory directory) {
        this.directory = directory;
    }

    /** Divides the room among what is due of these queues and regions; returns nothing when nothing is due. */
    public Uni<List<Share>> divide(int room, List<QueueShare> queues, List<Integer> regions) {
        return due.isEmpty() || System.nanoTime() - outdatedAt >= 0
                ? refresh(queues, regions).map(_ -> divided(room, queues))
                : Uni.createFrom().item(() -> divided(room, queues));
    }

    /** Reads what is due; returns whether something is. */
    public Uni<Boolean> refresh(List<QueueShare> queues, List<Integer> regions) {
        var askedAt = System.nanoTime();
        return directory.read(regions).map(reading -> {
            var now = System.nanoTime();
            outdatedAt = now + Math.max(MAX_AGE, PARTS * (now - askedAt));
            untilNext = reading.untilNext();
            due.clear();
            due.addAll(reading.due());
            leaveOutOthers(queues);
            agedFirst.retainAll(due);
            return hasMore();
        });
    }

    /** A queue may be paused, or so new that it is not known yet. */
    private void leaveOutOthers(List<QueueShare> queues) {
        var ids = new HashSet<Integer>();
        queues.forEach(queue -> ids.add(queue.queueId()));
        due.removeIf(line -> !ids.contains(Lanes.queueId(line)));
    }

    private List<Share> divided(int room, List<QueueShare> queues) {
        leaveOutOthers(queues);
        var weights = new HashMap<Integer, Integer>();
        var agings = new HashMap<Integer, Long>();
        queues.forEach(queue -> {
            weights.put(queue.queueId(), queue.weight());
            agings.put(queue.queueId(), queue.agingMs());
        });
        return shares.divide(room, due, weights).entrySet().stream()
                .map(limit -> share(limit, agings.getOrDefault(Lanes.queueId(limit.getKey()), 0L)))
                .toList();
    }

    private Share share(Map.Entry<Integer, Integer> limit, long agingMs) {
        return new Share(limit.getKey(), limit.getValue(), agingMs, agingMs > 0 && isAgedFirst(limit.getKey()));
    }

    /** Every second time, so that neither what has aged nor what is urgent by itself waits for all of the other. */
    private boolean isAgedFirst(int line) {
        return !agedFirst.remove(line) && agedFirst.add(line);
    }

    /** Tells what was claimed; a group that had less than its limit has nothing more that is due. */
    public void took(List<Share> asked, Answer answer) {
        for (var share : asked) {
            shares.took(share.line(), answer.claimed().getOrDefault(share.line(), 0));
            if (answer.seen().getOrDefault(share.line(), 0) < share.limit()) {
                due.remove(share.line());
            }
        }
    }

    /** Whether something may be due that was not claimed. */
    public boolean hasMore() {
        return !due.isEmpty();
    }

    /** How long until the next execution becomes due, as of the last reading; null when none waits. */
    public @Nullable Duration untilNext() {
        return untilNext;
    }
}
