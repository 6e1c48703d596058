package io.taskexec.worker.share;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.QueueShare;
import io.taskexec.store.execution.LaneDirectory;
import io.taskexec.store.execution.SharedClaims.Answer;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Lanes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Divides the room for claims among the lane groups that have something due, as a directory of the lanes has it. The
 * directory is read when all that was due has been claimed, and while there is more, every 100 ms. Used by one loop
 * only.
 */
@Singleton
public final class QueueShares {
    private static final long MAX_AGE = Duration.ofMillis(100).toNanos();

    /** A reading of many lanes is kept longer: readings take at most this part of the time. */
    private static final int PART = 20;

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
    public Uni<List<Share>> divide(int room, Collection<QueueShare> queues, List<Integer> regions) {
        var byId = queues.stream().collect(Collectors.toMap(QueueShare::queueId, Function.identity()));
        due.removeIf(line -> !byId.containsKey(Lanes.queueId(line)));
        return due.isEmpty() || System.nanoTime() - outdatedAt >= 0
                ? read(byId, regions).map(_ -> divided(room, byId))
                : Uni.createFrom().item(() -> divided(room, byId));
    }

    private Uni<LaneDirectory.Reading> read(Map<Integer, QueueShare> byId, List<Integer> regions) {
        var askedAt = System.nanoTime();
        return directory.read(regions).invoke(reading -> {
            var now = System.nanoTime();
            outdatedAt = now + Math.max(MAX_AGE, PART * (now - askedAt));
            untilNext = reading.untilNext();
            due.clear();
            reading.due().stream()
                    .filter(line -> byId.containsKey(Lanes.queueId(line)))
                    .forEach(due::add);
            agedFirst.retainAll(due);
        });
    }

    private List<Share> divided(int room, Map<Integer, QueueShare> byId) {
        var weights = new HashMap<Integer, Integer>();
        byId.forEach((id, queue) -> weights.put(id, queue.weight()));
        return shares.divide(room, due, weights).entrySet().stream()
                .map(limit -> share(limit.getKey(), limit.getValue(), byId))
                .toList();
    }

    private Share share(int line, int limit, Map<Integer, QueueShare> byId) {
        var aging = Objects.requireNonNull(byId.get(Lanes.queueId(line))).agingMs();
        return new Share(line, limit, aging, aging > 0 && isAgedFirst(line));
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
