package io.taskexec.worker.share;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.queue.QueueShare;
import io.taskexec.store.execution.LaneDirectory;
import io.taskexec.store.execution.LaneDirectory.Scope;
import io.taskexec.store.execution.LimitedClaims.Grant;
import io.taskexec.store.execution.SharedClaims.Answer;
import io.taskexec.store.execution.SharedClaims.Share;
import io.taskexec.store.sql.Lanes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Divides the room for claims among the lane groups that have something due, as the directory of the lanes has it. It
 * is read when all that was due has been claimed, and while there is more, every 100 ms. Used by one loop only.
 */
@Singleton
public final class QueueShares {
    private final LaneDirectory directory;
    private final FullQueues full = new FullQueues();
    private final DeferredTimes deferred = new DeferredTimes();
    private final LineShares shares = new LineShares();
    private final Set<Integer> due = new TreeSet<>();
    private final Set<Integer> agedFirst = new HashSet<>();
    private @Nullable Duration untilNext;
    private ReadingTime read = ReadingTime.never();

    public QueueShares(LaneDirectory directory) {
        this.directory = directory;
    }

    /**
     * Divides the room among what is due; returns nothing when nothing is.
     *
     * @param queues those to claim from, by their numbers
     */
    public Uni<List<Share>> divide(int room, Map<Integer, QueueShare> queues, Scope scope) {
        return isDue(queues, scope).map(isDue -> isDue ? divided(room, queues) : List.of());
    }

    /** Returns whether something is due; reads that again when it is time. */
    public Uni<Boolean> isDue(Map<Integer, QueueShare> queues, Scope scope) {
        keepOnly(queues);
        var now = ProgramClock.nanoTime();
        return read.isOutdated(now, hasMore())
                ? directory.read(scope).map(reading -> {
                    read = new ReadingTime(ProgramClock.nanoTime(), reading.lanes());
                    untilNext = reading.untilNext();
                    due.addAll(reading.due());
                    due.retainAll(reading.due());
                    keepOnly(queues);
                    agedFirst.retainAll(due);
                    return hasMore();
                })
                : Uni.createFrom().item(hasMore());
    }

    /** Others are paused, or so new that they are not known yet. */
    private void keepOnly(Map<Integer, QueueShare> queues) {
        due.removeIf(line -> !queues.containsKey(Lanes.queueId(line)));
    }

    private List<Share> divided(int room, Map<Integer, QueueShare> queues) {
        var open = due.stream().filter(this::isOpen).toList();
        return shares.divide(room, open, queues).entrySet().stream()
                .map(limit -> share(limit.getKey(), limit.getValue(), queues.get(Lanes.queueId(limit.getKey()))))
                .toList();
    }

    private Share share(int line, int limit, @Nullable QueueShare queue) {
        var agingMs = queue == null ? 0 : queue.agingMs();
        return new Share(line, limit, agingMs, agingMs > 0 && isAgedFirst(line));
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

    /**
     * The same of a claim from queues with limits.
     *
     * @param freedBefore {@link #placesFreed} before the claim
     */
    public void took(Grant grant, long freedBefore) {
        grant.full().forEach((queue, wait) -> full.add(queue, wait, freedBefore));
        took(grant.granted(), grant.answer());
    }

    /** The number of executions that do not count for the limits of their queues any more. */
    public long placesFreed() {
        return full.placesFreed();
    }

    /** An execution does not count for the limits of its queue any more; may be called by any thread. */
    public void placeFreed() {
        full.placeFreed();
    }

    /** Whether something may be due that was not claimed and may begin. */
    public boolean hasMore() {
        return due.stream().anyMatch(this::isOpen);
    }

    /** The full queues that are to be looked at now for what is deferred and due; mostly none. */
    public Set<Integer> toLookAt(Map<Integer, QueueShare> queues) {
        keepOnly(queues);
        var found = fullDue();
        var untilNext = deferred.untilNext(found);
        return untilNext == null || untilNext.isPositive() ? Set.of() : found;
    }

    /**
     * Tells of a look at these queues.
     *
     * @param begunAt by {@link System#nanoTime}
     * @param untilDue how long it was until the next execution became due; null when none is deferred
     */
    public void looked(Set<Integer> queues, long begunAt, @Nullable Duration untilDue) {
        deferred.looked(queues, begunAt, untilDue);
    }

    private Set<Integer> fullDue() {
        return due.stream().filter(line -> !isOpen(line)).map(Lanes::queueId).collect(Collectors.toSet());
    }

    private boolean isOpen(int line) {
        return !full.isFull(Lanes.queueId(line));
    }

    /**
     * How long until the next execution becomes due, a full queue may have room or is to be looked at, or until that is
     * to be read again; null when none waits.
     */
    public @Nullable Duration untilNext() {
        var next = read.untilNext(ProgramClock.nanoTime(), untilNext);
        var room = full.untilFirst(queue -> due.stream().anyMatch(line -> Lanes.queueId(line) == queue));
        return shorter(shorter(next, room), deferred.untilNext(fullDue()));
    }

    private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
        return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
    }
}
