package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.model.TickId;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.store.ScheduleStore;
import io.taskexec.store.ScheduleStore.Advance;
import io.taskexec.store.ScheduleStore.Due;
import io.taskexec.store.ScheduleStore.Tick;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes executions of the ticks that are due. The next tick is computed from the current one and not from now, so that
 * none is left out after a pause; compare-and-set decides between several schedulers.
 */
final class Ticks implements Duty {
    private static final Logger LOG = Logger.getLogger(Ticks.class);

    /** Ticks of one schedule in one statement, when it has fallen behind. */
    private static final int MAX_TICKS = 100;

    private final ScheduleStore store;
    private final SchedulerConfig config;

    Ticks(ScheduleStore store, SchedulerConfig config) {
        this.store = store;
        this.config = config;
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.due(config.cronBatchSize())
                .chain(due -> due.isEmpty() ? store.untilNextDue().map(this::bounded) : advance(due));
    }

    private Uni<Duration> advance(List<Due> due) {
        return store.advance(due.stream().map(Ticks::advance).toList()).replaceWith(Duration.ZERO);
    }

    /** A schedule that cannot be read any more is ended, since it would be due for ever and keep the others waiting. */
    private static Advance advance(Due due) {
        try {
            return advance(due, CronSchedule.parse(due.expression(), due.timezone(), TickId.seed(due.rootId())));
        } catch (RuntimeException e) {
            LOG.errorf(e, "the schedule of job %s cannot be read and is ended", due.jobId());
            return new Advance(due.jobId(), due.nextRunAt(), List.of(), null);
        }
    }

    private static Advance advance(Due due, CronSchedule schedule) {
        var ticks = new ArrayList<Tick>();
        @Nullable Instant tick = due.nextRunAt();
        while (tick != null && !tick.isAfter(due.now()) && ticks.size() < MAX_TICKS) {
            ticks.add(new Tick(TickId.of(due.jobId(), tick), tick));
            tick = before(due.endsAt(), schedule.next(tick));
        }
        return new Advance(due.jobId(), due.nextRunAt(), ticks, tick);
    }

    private static @Nullable Instant before(@Nullable Instant end, @Nullable Instant tick) {
        return tick == null || end == null || tick.isBefore(end) ? tick : null;
    }

    private Duration bounded(@Nullable Duration untilDue) {
        var longest = config.cronTickInterval();
        if (untilDue == null || untilDue.compareTo(longest) > 0) {
            return longest;
        }
        return untilDue.isNegative() ? Duration.ZERO : untilDue;
    }
}
