package io.taskexec.store.execution;

import io.taskexec.model.LookThrottle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for each lane up to which time all that was due has been claimed, so that the next claim looks only at what
 * comes after it (a low-water mark). What was claimed leaves traces in the index, and while a long transaction lets no
 * vacuum remove them, all claims would pass over all of them.
 *
 * <p>What is committed late may be due before the mark. So a claim looks {@link #MARGIN} further back, some look {@link
 * #WIDE_MARGIN} back, and a look at what is older follows every {@link #BETWEEN_LOOKS}. There are no marks while only
 * little begins here. All times are of {@link System#nanoTime}, before a statement was sent: the database runs it
 * later. Any thread may use it.
 */
final class LaneMarks {
    /** So far behind the marks claims look: how long a transaction takes that makes something due, as a rule. */
    static final Duration MARGIN = Duration.ofMillis(100);

    /** So far behind the marks one claim looks every {@link #BETWEEN_WIDE}: what a slow transaction takes. */
    static final Duration WIDE_MARGIN = Duration.ofSeconds(1);

    static final Duration BETWEEN_WIDE = Duration.ofMillis(200);

    /** The pause between two looks at what is older. */
    static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

    /** So much further back than claims a look begins in the pause after one at everything. */
    static final Duration NEAR = Duration.ofSeconds(15);

    /** So many executions must have begun in a while for marks to be worth anything. */
    static final int ENOUGH = 20;

    /** That while, and the one before it counts too. */
    static final Duration WHILE = Duration.ofSeconds(2);

    private static final int NO_EPOCH = -1;

    private final Map<Integer, Long> marks = new HashMap<>();
    private final LookThrottle wholeLooks = new LookThrottle(BETWEEN_LOOKS, LookThrottle.RARE);
    private long whileBeganAt;
    private int found;
    private int foundBefore;
    private long wideAt;
    private long lookAt;
    private int epoch;

    LaneMarks(long now) {
        whileBeganAt = now;
        wideAt = now;
        lookAt = now + BETWEEN_LOOKS.toNanos();
    }

    /**
     * Lanes that follow each other and have the same mark.
     *
     * @param first the place of the first one, from 1 on
     * @param last the place of the last one
     * @param millis how far back from now they are looked at; null when that is without limit
     */
    record Part(int first, int last, @Nullable Long millis) {}

    /**
     * Lanes and their parts.
     *
     * @param lanes in their order
     * @param margin how far behind the marks they begin
     * @param epoch a number that changes when all marks are forgotten
     */
    record Parts(List<Integer> lanes, List<Part> parts, Duration margin, int epoch) {
        boolean areMarked() {
            return parts.stream().anyMatch(part -> part.millis() != null);
        }
    }

    /**
     * The last execution of a claim that brought as many as it was asked for.
     *
     * @param waitNanos how long it had been due; null when that is too long for a mark
     */
    record Last(int lane, @Nullable Long waitNanos) {}

    /** The whole of these lanes, for a claim that is to say nothing of marks. */
    static Parts unmarked(Integer[] lanes) {
        return new Parts(
                Stream.of(lanes).sorted().toList(), List.of(new Part(1, lanes.length, null)), MARGIN, NO_EPOCH);
    }

    /** The parts of these lanes for a claim. */
    synchronized Parts forClaim(Integer[] lanes, long now) {
        var isWide = now - wideAt >= BETWEEN_WIDE.toNanos();
        if (isWide) {
            wideAt = now;
        }
        return parts(lanes, now, isWide ? WIDE_MARGIN : MARGIN);
    }

    /** The parts of these lanes for a look at what comes next. */
    synchronized Parts forNext(Integer[] lanes, long now) {
        return parts(lanes, now, MARGIN);
    }

    private Parts parts(Integer[] lanes, long now, Duration margin) {
        count(0, now);
        if (found + foundBefore < ENOUGH) {
            clear();
        }
        var sorted = Stream.of(lanes).sorted().toList();
        var parts = new ArrayList<Part>();
        for (int first = 0, next = 1; next <= sorted.size(); next++) {
            if (next == sorted.size() || !Objects.equals(marks.get(sorted.get(next)), marks.get(sorted.get(first)))) {
                parts.add(new Part(first + 1, next, millis(sorted.get(first), now, margin)));
                first = next;
            }
        }
        return new Parts(sorted, parts, margin, epoch);
    }

    private @Nullable Long millis(Integer lane, long now, Duration margin) {
        var mark = marks.get(lane);
        return mark == null ? null : margin.plusNanos(now - mark).toMillis() + 1;
    }

    /** The parts of all lanes that have a mark, for a look at what is older. */
    synchronized Parts forOlder(long now) {
        return parts(marks.keySet().toArray(Integer[]::new), now, WIDE_MARGIN);
    }

    /**
     * Tells what a claim of these lanes, the first ones first, has brought. It says nothing when marks were forgotten
     * since, for it may have begun at one of those, nor when it took longer than its margin: the later it began, the
     * later the time from which it looked. Then the next one looks further back; when that takes too long as well, all
     * is looked at.
     *
     * @param count how many executions
     * @param last what was claimed last; null when that was all that was due
     */
    synchronized void claimed(Parts parts, long askedAt, long answeredAt, int count, @Nullable Last last) {
        count(count, answeredAt);
        if (parts.epoch() != epoch) {
            return;
        }
        if (parts.areMarked() && answeredAt - askedAt > parts.margin().toNanos()) {
            if (parts.margin().equals(WIDE_MARGIN)) {
                clear();
            }
            wideAt = answeredAt - BETWEEN_WIDE.toNanos();
            return;
        }
        for (var lane : parts.lanes()) {
            if (last == null || lane < last.lane()) {
                marks.put(lane, askedAt);
            } else if (lane == last.lane()) {
                var wait = last.waitNanos();
                marks.compute(lane, (_, _) -> wait == null ? null : askedAt - wait);
            }
        }
    }

    /** Tells that an execution began when it was created, which leaves the same traces as a claim. */
    synchronized void beganAtOnce(long now) {
        count(1, now);
    }

    private void count(int more, long now) {
        if (now - whileBeganAt > WHILE.toNanos()) {
            foundBefore = now - whileBeganAt > 2 * WHILE.toNanos() ? 0 : found;
            found = 0;
            whileBeganAt = now;
        }
        found += more;
    }

    /** Forgets all marks: something may be due before them. */
    synchronized void clear() {
        marks.clear();
        epoch++;
    }

    /**
     * A look at what is older than the marks.
     *
     * @param back how much further back than claims it begins; null when that is without limit
     */
    record Look(long beganAt, @Nullable Duration back) {}

    /** Begins the look that is due now; null when none is. No other one is due until it has ended. */
    synchronized @Nullable Look beginLook(long now) {
        if (marks.isEmpty() || now - lookAt < 0) {
            return null;
        }
        lookAt = Long.MAX_VALUE / 2 + now;
        return new Look(now, wholeLooks.isDue(now) ? null : NEAR);
    }

    /** Tells that a look has ended. */
    synchronized void looked(Look look, long now) {
        lookAt = now + BETWEEN_LOOKS.toNanos();
        if (look.back() == null) {
            wholeLooks.looked(look.beganAt(), now);
        }
    }
}
