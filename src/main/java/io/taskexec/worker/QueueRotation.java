package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Lanes;
import io.taskexec.worker.pressure.Pressure;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The lines to claim from: for each region, each queue has one of jobs and one of ticks, and the same again for
 * executions with flow keys. A claim empties the first line
 * first, so every second one is for one line alone, each in its turn: nothing is kept waiting by a longer line. Used by
 * one loop only.
 */
@Singleton
final class QueueRotation {
    private static final long MAX_AGE = Duration.ofSeconds(1).toNanos();

    /** The time that an empty lane group is skipped; a claim from all groups finds new work meanwhile. */
    private static final long EMPTY = Duration.ofMillis(100).toNanos();

    private final QueueStore store;
    private final RegionFilter regions;
    private final Pressure pressure;
    private final Map<Integer, Long> emptyAt = new HashMap<>();
    private List<Integer> lines = List.of();
    private long askedAt = System.nanoTime() - MAX_AGE;
    private int turns;
    private volatile boolean haveKeys;

    QueueRotation(QueueStore store, RegionFilter regions, Pressure pressure) {
        this.store = store;
        this.regions = regions;
        this.pressure = pressure;
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

    /** Returns the next lane group; the list of queues is read once a second. */
    Uni<Turn> next() {
        var now = System.nanoTime();
        if (now - askedAt < MAX_AGE) {
            return Uni.createFrom().item(turn(now));
        }
        return regions.numbers()
                .chain(numbers -> store.runnable().map(queues -> {
                    haveKeys = queues.haveKeys();
                    lines = haveKeys
                            ? Lanes.withKeyed(Lanes.lines(queues.ids(), numbers))
                            : Lanes.lines(queues.ids(), numbers);
                    askedAt = now;
                    return turn(now);
                }));
    }

    /** Whether there may be executions with flow keys, as of the last reading. */
    boolean haveKeys() {
        return haveKeys;
    }

    private Turn turn(long now) {
        turns = (turns + 1) % (2 * lines.size());
        var line = lines.get(turns / 2);
        return turns % 2 == 0 || now - emptyAt.getOrDefault(line, now - EMPTY) < EMPTY
                ? new Turn(lines, lines)
                : new Turn(List.of(line), lines);
    }

    /** The lanes of groups whose priorities may start; what is held back is neither claimed nor waited for. */
    Integer[] lanes(List<Integer> groups) {
        return pressure.admitted(Lanes.of(groups));
    }

    /** Tells how much was claimed with a turn. */
    void claimed(Turn turn, int count) {
        if (count == 0 && !turn.isForAll()) {
            emptyAt.put(turn.lines().getFirst(), System.nanoTime());
        }
    }
}
