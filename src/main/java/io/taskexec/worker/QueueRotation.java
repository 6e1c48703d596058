package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.queue.QueueShare;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.execution.LaneDirectory;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.worker.pressure.Pressure;
import io.taskexec.worker.share.LineTurns;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The lines to claim from: for each region, each queue has one of jobs and one of ticks, and the same again for
 * executions with flow keys. While claims leave more behind, lines take turns ({@link LineTurns}). With weights, with
 * aging or with so many queues that a claim should not name all of them, queues have shares instead. Used by one loop
 * only, but for {@link #mayStart} and {@link #haveKeys}.
 */
@Singleton
final class QueueRotation {
    /** With more queues a claim does not name all lanes. */
    static final int MOST_NAMED = 100;

    private static final long MAX_AGE = Duration.ofSeconds(1).toNanos();

    /** The same while a queue is paused, which may be resumed at any time. */
    private static final long MAX_AGE_PAUSED = Duration.ofMillis(200).toNanos();

    /** A poller with room reads the list more often than that: its sleeps are shorter. */
    private static final long UNREAD = DueSignal.HORIZON.plusSeconds(1).toNanos();

    /** The longest sleep of a poller while a queue is paused. */
    private static final Duration MAX_SLEEP_PAUSED = Duration.ofMillis(400);

    /** Executions with keys that come now and then are claimed at once, and not when the list is read again. */
    private static final long KEYS_REMEMBERED = Duration.ofMinutes(1).toNanos();

    private final QueueStore store;
    private final RegionFilter regions;
    private final Pressure pressure;
    private final PauseGate gate;
    private final LongSupplier nanos;
    private final LineTurns lineTurns = new LineTurns();
    private Map<Integer, QueueShare> queues = Map.of();
    private List<Integer> numbers = List.of();
    private volatile List<Integer> lines = List.of();
    private boolean haveShares;
    private volatile long askedAt;
    private volatile long epoch;
    private @Nullable Duration untilPauseEnds;
    private long keysSeenAt;
    private volatile boolean isMoreLeft;
    private volatile boolean haveKeys;

    @Inject
    QueueRotation(QueueStore store, RegionFilter regions, Pressure pressure, PauseGate gate) {
        this(store, regions, pressure, gate, System::nanoTime);
    }

    /** @param nanos the monotonic clock, of which the gate is told too */
    QueueRotation(QueueStore store, RegionFilter regions, Pressure pressure, PauseGate gate, LongSupplier nanos) {
        this.store = store;
        this.regions = regions;
        this.pressure = pressure;
        this.gate = gate;
        this.nanos = nanos;
        this.askedAt = nanos.getAsLong() - UNREAD;
        this.keysSeenAt = nanos.getAsLong() - KEYS_REMEMBERED;
    }

    /** The scope of one claim. */
    sealed interface Turn {}

    /** A claim from all lines, by turns. */
    record Lines(LineTurns.Turn turn, List<Integer> all) implements Turn {}

    /**
     * A claim of which each of these queues has its share.
     *
     * @param leastUrgent the lowest priority that may start, as a number
     */
    record Shares(Map<Integer, QueueShare> queues, List<Integer> regions, int leastUrgent) implements Turn {
        /** Whether the queue of a lane group has limits. */
        boolean isLimited(int line) {
            var queue = queues.get(Lanes.queueId(line));
            return queue != null && queue.isLimited();
        }

        LaneDirectory.Scope scope() {
            return new LaneDirectory.Scope(regions, leastUrgent);
        }
    }

    /** Returns what is to be claimed next; the list of queues is read once a second, and when a queue was changed. */
    Uni<Turn> next() {
        var now = nanos.getAsLong();
        if (now - askedAt < maxAge() && gate.epoch() == epoch) {
            return Uni.createFrom().item(turn());
        }
        return regions.numbers()
                .chain(own -> store.claimable().invoke(found -> read(found, own)))
                .map(_ -> {
                    askedAt = now;
                    gate.looked(now, epoch);
                    return turn();
                });
    }

    private void read(QueueStore.Claimable found, List<Integer> own) {
        untilPauseEnds = found.untilPauseEnds();
        if (found.haveKeys()) {
            keysSeenAt = nanos.getAsLong();
        }
        haveKeys = nanos.getAsLong() - keysSeenAt < KEYS_REMEMBERED;
        queues = found.queues().stream().collect(Collectors.toMap(QueueShare::queueId, Function.identity()));
        numbers = own;
        haveShares = queues.isEmpty()
                || queues.size() > MOST_NAMED
                || !found.queues().stream().allMatch(QueueShare::isPlain);
        var plain = haveShares ? List.<Integer>of() : Lanes.lines(List.copyOf(queues.keySet()), own);
        lines = haveKeys ? Lanes.withKeyed(plain) : plain;
        // Last, since others look at both.
        epoch = found.epoch();
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

    /** Whether there may be executions with flow keys, as of the last reading, or none for a while. */
    boolean haveKeys() {
        return haveKeys || nanos.getAsLong() - askedAt >= UNREAD;
    }

    /**
     * Whether an execution of this lane that is due now may be started without a claim, as the last one left nothing:
     * its queue runs, has no share, and none of its kind has to wait for less pressure. Any thread may ask.
     */
    boolean mayStart(int lane) {
        return !isMoreLeft
                && nanos.getAsLong() - askedAt < MAX_AGE
                && gate.epoch() == epoch
                && lines.contains(Lanes.line(lane))
                && Lanes.priority(lane) <= pressure.leastUrgent();
    }

    private Turn turn() {
        if (haveShares) {
            return new Shares(queues, numbers, pressure.leastUrgent());
        }
        return new Lines(isMoreLeft ? lineTurns.next(lines) : LineTurns.Turn.all(lines), lines);
    }

    /** The lanes in which the most urgent executions wait, of all queues without limits. */
    Integer[] urgentLanes() {
        var unlimited = queues.values().stream()
                .filter(queue -> !queue.isLimited())
                .map(QueueShare::queueId)
                .toList();
        var plain = Lanes.lines(unlimited, numbers);
        return Arrays.stream(Lanes.of(haveKeys ? Lanes.withKeyed(plain) : plain))
                .filter(lane -> Lanes.priority(lane) == 0)
                .toArray(Integer[]::new);
    }

    /** The lanes of groups whose priorities may start; what is held back is neither claimed nor waited for. */
    Integer[] lanes(List<Integer> groups) {
        return pressure.admitted(Lanes.of(groups));
    }

    /** Tells whether the last claim may have left more that is due. */
    void leftMore(boolean isMore) {
        isMoreLeft = isMore;
    }

    /** Tells whether the first lines of a turn had as much as was wanted. */
    void claimed(LineTurns.Turn turn, boolean isFull) {
        if (isMoreLeft) {
            lineTurns.claimed(turn, isFull);
        }
    }
}
