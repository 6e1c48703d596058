package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Lanes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lines to claim from: for each region, each queue has one of jobs and one of ticks, and the same again for
 * executions with flow keys. A claim empties the first line
 * first, so every second one is for one line alone, each in its turn: nothing is kept waiting by a longer line. Used by
 * one loop only.
 */
@Singleton
final class QueueRotation {
    private static final long MAX_AGE = Duration.ofSeconds(1).toNanos();

    /** The same while a queue is paused, which may be resumed at any time. */
    private static final long MAX_AGE_PAUSED = Duration.ofMillis(200).toNanos();

    /** The longest sleep of a poller while a queue is paused. */
    private static final Duration MAX_SLEEP_PAUSED = Duration.ofMillis(400);

    /** The time that an empty lane group is skipped; a claim from all groups finds new work meanwhile. */
    private static final long EMPTY = Duration.ofMillis(100).toNanos();

    private final QueueStore store;
    private final RegionFilter regions;
    private final PauseGate gate;
    private final Map<Integer, Long> emptyAt = new HashMap<>();
    private List<Integer> lines = List.of();
    private long askedAt = System.nanoTime() - MAX_AGE;
    private long epoch;
    private @Nullable Duration untilPauseEnds;
    private int turns;
    private volatile boolean haveKeys;

    QueueRotation(QueueStore store, RegionFilter regions, PauseGate gate) {
        this.store = store;
        this.regions = regions;
        this.gate = gate;
    }

    /**
     * The scope of one claim.
     *
     * @param lines to claim from first
     * @param all to claim from when those have too little
     */
    record Turn(List<Integer> lines, List<Integer> all) {
        boolean isForAll() {
            return lines.size() == all.size();
        }
    }

    /** Returns the next lane group; the list of queues is read once a second, and when a queue was changed. */
    Uni<Turn> next() {
        var now = System.nanoTime();
        if (now - askedAt < maxAge() && gate.epoch() == epoch) {
            return Uni.createFrom().item(turn(now));
        }
        return regions.numbers()
                .chain(numbers -> store.runnable().map(queues -> {
                    epoch = queues.epoch();
                    untilPauseEnds = queues.untilPauseEnds();
                    haveKeys = queues.haveKeys();
                    lines = haveKeys
                            ? Lanes.withKeyed(Lanes.lines(queues.ids(), numbers))
                            : Lanes.lines(queues.ids(), numbers);
                    askedAt = now;
                    gate.looked(now, epoch);
                    return turn(now);
                }));
    }

    private long maxAge() {
        var pause = untilPauseEnds;
        return pause == null ? MAX_AGE : Math.min(MAX_AGE_PAUSED, pause.toNanos());
    }

    /** The epoch in which the queues of the present list were running. */
    long epoch() {
        return epoch;
    }

    /** A sleep that is not so long that a paused queue would run again late. */
    Duration bounded(Duration sleep) {
        var pause = untilPauseEnds;
        if (pause == null) {
            return sleep;
        }
        var longest = pause.compareTo(MAX_SLEEP_PAUSED) < 0 ? pause : MAX_SLEEP_PAUSED;
        return sleep.compareTo(longest) < 0 ? sleep : longest;
    }

    /** Whether there may be executions with flow keys, as of the last reading. */
    boolean haveKeys() {
        return haveKeys;
    }

    private Turn turn(long now) {
        if (lines.isEmpty()) {
            return new Turn(lines, lines);
        }
        turns = (turns + 1) % (2 * lines.size());
        var line = lines.get(turns / 2);
        return turns % 2 == 0 || now - emptyAt.getOrDefault(line, now - EMPTY) < EMPTY
                ? new Turn(lines, lines)
                : new Turn(List.of(line), lines);
    }

    /** Tells how much was claimed with a turn. */
    void claimed(Turn turn, int count) {
        if (count == 0 && !turn.isForAll()) {
            emptyAt.put(turn.lines().getFirst(), System.nanoTime());
        }
    }
}
