package io.taskexec.forecast;

import static io.taskexec.forecast.Forecast.rounded;

import io.taskexec.forecast.Forecast.Proposal;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Timetable;
import io.taskexec.schedule.SpreadExpression;
import io.taskexec.store.job.PlannedSchedules.Planned;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Proposes {@code H} for schedules that start together: in a minute over capacity, or in one with many starts and more
 * than twice as many as the mean. Nothing is proposed for a target whose peak that would not lower.
 */
final class Spread {
    /** Proposals of one forecast. */
    static final int MOST = 1_000;

    /** Scheduled starts in a minute that are many without any limit. */
    static final int MANY = 10;

    private static final double TOGETHER = 2;

    private final Horizon horizon;
    private final ScheduleStarts starts;
    private final ToIntFunction<Planned> opens;
    private final List<Proposal> proposals = new ArrayList<>();
    private final Set<UUID> proposed = new HashSet<>();
    private boolean more;

    /** @param opens the minute from which on a schedule starts anything */
    Spread(Horizon horizon, ScheduleStarts starts, ToIntFunction<Planned> opens) {
        this.horizon = horizon;
        this.starts = starts;
        this.opens = opens;
    }

    List<Proposal> proposals() {
        return proposals;
    }

    /** Whether there are more than were made. */
    boolean hasMore() {
        return more;
    }

    /** A schedule with the minute in which it starts together with others, and the schedule that it could be. */
    private record Change(Planned present, Timetable.Cron timetable, Planned next, int minute) {}

    /** @param over the minutes over capacity */
    void propose(ForecastTarget target, StartCounts counts, BitSet over) {
        var together = together(counts.scheduled(), over);
        if (together.isEmpty()) {
            return;
        }
        var changes = new ArrayList<Change>();
        for (var schedule : target.schedules()) {
            var change = change(schedule, together);
            if (change != null && changes.size() + proposals.size() < MOST) {
                changes.add(change);
            } else {
                more |= change != null;
            }
        }
        proposeAll(target, counts.scheduled(), changes);
    }

    private static BitSet together(double[] scheduled, BitSet over) {
        var many = Math.max(MANY, 2 * StartCounts.total(scheduled) / scheduled.length);
        var together = new BitSet();
        for (var minute = 0; minute < scheduled.length; minute++) {
            together.set(minute, scheduled[minute] >= (over.get(minute) ? TOGETHER : many));
        }
        return together;
    }

    private @Nullable Change change(Planned schedule, BitSet together) {
        if (!(schedule.timetable() instanceof Timetable.Cron cron)
                || !schedule.jitter().isZero()
                || proposed.contains(schedule.jobId())) {
            return null;
        }
        var expression = SpreadExpression.of(cron.expression(), cron.timezone());
        if (expression == null) {
            return null;
        }
        var minutes = minutes(schedule);
        minutes.and(together);
        return minutes.isEmpty()
                ? null
                : new Change(
                        schedule,
                        cron,
                        schedule.with(new Timetable.Cron(expression, cron.timezone(), cron.dst())),
                        minutes.nextSetBit(0));
    }

    private BitSet minutes(Planned schedule) {
        var minutes = new BitSet();
        var first = opens.applyAsInt(schedule);
        starts.add(schedule, (millis, _) -> {
            var minute = Math.max(first, Horizon.minute(millis));
            minutes.set(minute, minute < horizon.minutes());
        });
        return minutes;
    }

    private void proposeAll(ForecastTarget target, double[] scheduled, List<Change> changes) {
        var after = scheduled.clone();
        var touched = new BitSet();
        for (var change : changes) {
            add(change.present(), -1, after, touched);
            add(change.next(), 1, after, touched);
        }
        var peakBefore = peak(scheduled, touched);
        var peakAfter = peak(after, touched);
        if (peakAfter < peakBefore) {
            for (var change : changes) {
                proposed.add(change.present().jobId());
                proposals.add(new Proposal(
                        PublicId.JOB.show(change.present().jobId()),
                        change.present().endpoint(),
                        target.queue(),
                        change.timetable().expression(),
                        ((Timetable.Cron) change.next().timetable()).expression(),
                        change.timetable().timezone(),
                        horizon.at(change.minute()),
                        rounded(peakBefore),
                        rounded(peakAfter)));
            }
        }
    }

    private void add(Planned schedule, int sign, double[] counts, BitSet touched) {
        var minutes = minutes(schedule);
        minutes.stream().forEach(minute -> counts[minute] += sign);
        touched.or(minutes);
    }

    private static double peak(double[] counts, BitSet minutes) {
        return minutes.stream().mapToDouble(minute -> counts[minute]).max().orElse(0);
    }
}
