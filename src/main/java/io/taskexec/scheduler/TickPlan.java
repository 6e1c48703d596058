package io.taskexec.scheduler;

import io.taskexec.model.job.Pause;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.TickId;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.schedule.Schedule;
import io.taskexec.store.job.TickStore.Advance;
import io.taskexec.store.job.TickStore.Decision;
import io.taskexec.store.job.TickStore.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of the ticks of one schedule that are due, one after the other. The next tick is computed from
 * the current one and not from now, so that none is left out after a pause of all schedulers.
 */
final class TickPlan {
    /** The lateness up to which a tick fires without catch-up: longer than a restart takes. */
    static final Duration TOLERANCE = Duration.ofMinutes(1);

    private final Due due;
    private final Schedule schedule;
    private final @Nullable Instant end;
    private final List<Decision> ticks = new ArrayList<>();
    private long fires;
    private boolean active;
    private @Nullable Instant buffered;
    private @Nullable Instant oldestToFire;
    private @Nullable Instant newestToFire;

    private TickPlan(Due due, Schedule schedule) {
        this.due = due;
        this.schedule = schedule;
        this.end = earlier(due.policy().endsAt(), due.endedAt());
        this.fires = due.fires();
        // A tick that waits comes first, even when nothing is in its way any more.
        this.active = due.active() || due.buffered();
    }

    /** @param limit how many ticks are decided about at most; the others remain due */
    static Advance of(Due due, Schedule schedule, int limit) {
        return new TickPlan(due, schedule).run(limit);
    }

    private Advance run(int limit) {
        var last = due.decidedUntil();
        @Nullable Instant tick = due.nextRunAt();
        do {
            schedule.suppressed(last, tick).forEach(at -> add(at, TickOutcome.SUPPRESSED_DST));
            @Nullable Instant next = beforeEnd(schedule.next(tick));
            decide(tick, next);
            last = tick;
            tick = hasFiredEnough() ? null : next;
        } while (tick != null && !tick.isAfter(due.now()) && ticks.size() < limit);
        return new Advance(due.jobId(), due.nextRunAt(), due.endedAt(), ticks, last, tick, buffered);
    }

    private void decide(Instant tick, @Nullable Instant next) {
        if (isPaused(tick)) {
            add(tick, TickOutcome.SKIPPED_PAUSED);
        } else if (isTooLate(tick, next)) {
            add(tick, TickOutcome.MISSED);
        } else if (due.policy().catchUp().mode() == CatchUp.Mode.LATEST && isDue(next) && isBeforeNewest(tick)) {
            add(tick, TickOutcome.COLLAPSED);
        } else if (due.policy().overlap() == Overlap.ALLOW || !active) {
            fire(tick);
        } else if (due.policy().overlap() == Overlap.BUFFER_ONE && !due.buffered() && buffered == null) {
            fires++;
            buffered = tick;
        } else {
            add(tick, TickOutcome.SKIPPED_OVERLAP);
        }
    }

    private boolean isPaused(Instant tick) {
        return pause(tick) != null;
    }

    private @Nullable Pause pause(Instant tick) {
        for (Pause pause : due.pauses()) {
            if (pause.covers(tick)) {
                return pause;
            }
        }
        return null;
    }

    /** Whether a newer tick fires for it: one that a pause skips does not. */
    private boolean isBeforeNewest(Instant tick) {
        if (newestToFire == null) {
            newestToFire = newestToFire();
        }
        return tick.isBefore(newestToFire);
    }

    private Instant newestToFire() {
        var until = lastDue();
        while (true) {
            var newest = Backlog.newest(schedule, due.nextRunAt(), until, 1);
            var pause = pause(newest);
            if (pause == null || !newest.isAfter(due.nextRunAt())) {
                return newest;
            }
            until = pause.from().minusNanos(1);
        }
    }

    private boolean isTooLate(Instant tick, @Nullable Instant next) {
        var catchUp = due.policy().catchUp();
        return switch (catchUp.mode()) {
            case LATEST -> false;
            case NONE -> tick.isBefore(due.now().minus(TOLERANCE));
            case ALL ->
                (catchUp.window() != null && tick.isBefore(due.now().minus(catchUp.window())))
                        || (isDue(next) && tick.isBefore(oldestToFire()));
        };
    }

    private boolean isDue(@Nullable Instant tick) {
        return tick != null && !tick.isAfter(due.now());
    }

    /** No tick after it is due. */
    private Instant lastDue() {
        return end == null || end.isAfter(due.now()) ? due.now() : end.minusNanos(1);
    }

    /** The first of the newest ticks that are made up for. */
    private Instant oldestToFire() {
        if (oldestToFire == null) {
            oldestToFire = Backlog.newest(
                    schedule, due.nextRunAt(), lastDue(), due.policy().catchUp().max());
        }
        return oldestToFire;
    }

    private void fire(Instant tick) {
        fires++;
        active = true;
        ticks.add(fired(due, tick));
    }

    /** The decision that a tick fires. */
    static Decision fired(Due due, Instant tick) {
        var id = TickId.of(due.jobId(), tick);
        return new Decision(
                due.jobId(),
                tick,
                TickOutcome.FIRED,
                id,
                jitter(id, due.policy().jitter()));
    }

    /** The same for the same tick on every scheduler. */
    private static Duration jitter(UUID executionId, Duration most) {
        return most.isZero()
                ? most
                : Duration.ofMillis(
                        new SplittableRandom(executionId.getLeastSignificantBits()).nextLong(most.toMillis() + 1));
    }

    private void add(Instant tick, TickOutcome outcome) {
        ticks.add(new Decision(due.jobId(), tick, outcome, null, Duration.ZERO));
    }

    private boolean hasFiredEnough() {
        var max = due.policy().maxFires();
        return max != null && fires >= max;
    }

    private @Nullable Instant beforeEnd(@Nullable Instant tick) {
        return tick == null || end == null || tick.isBefore(end) ? tick : null;
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        return a == null || (b != null && b.isBefore(a)) ? b : a;
    }
}
