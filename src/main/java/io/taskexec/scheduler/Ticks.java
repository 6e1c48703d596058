package io.taskexec.scheduler;

import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.TickId;
import io.taskexec.observe.log.LogFields;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.TickStore;
import io.taskexec.store.job.TickStore.Advance;
import io.taskexec.store.job.TickStore.AllDue;
import io.taskexec.store.job.TickStore.Due;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Makes executions of the ticks that are due; compare-and-set decides between several schedulers. */
@Singleton
final class Ticks implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(Ticks.class);

    /** Ticks in one statement, those of schedules that have fallen behind included; fewer after one has failed. */
    private static final int MAX_TICKS = 10_000;

    private static final int MIN_TICKS = 100;

    /** So many more after a success: what has just been too many is not tried with each second statement. */
    private static final int MORE_TICKS = 500;

    /**
     * Statements at the same time: many schedules that are due at once would otherwise wait for one connection, while
     * the executions of the first ones already compete with them for the database.
     */
    private static final int AT_ONCE = 4;

    private static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

    private final TickStore store;
    private final SchedulerConfig config;
    private final BufferedTicks buffered;
    private final TickMetrics metrics;
    private final DueSignal dueSignal;
    private boolean newestFirst;
    private boolean expected = true;
    private int mostTicks = MAX_TICKS;

    Ticks(TickStore store, SchedulerConfig config, BufferedTicks buffered, TickMetrics metrics, DueSignal dueSignal) {
        this.store = store;
        this.config = config;
        this.buffered = buffered;
        this.metrics = metrics;
        this.dueSignal = dueSignal;
    }

    @Override
    public String name() {
        return "making executions of ticks";
    }

    @Override
    public String progressName() {
        return "ticks";
    }

    @Override
    public boolean isWokenByTicks() {
        return true;
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.TO_TICK;
    }

    @Override
    public Uni<Duration> runOnce() {
        // Where nothing is expected, one small question is enough.
        return expected ? advanceDue() : untilDue().chain(time -> time.isZero() ? advanceDue() : sleep(time));
    }

    private Uni<Duration> advanceDue() {
        // In turns, so that those in time do not wait for those with days to make up for, nor the other way round.
        newestFirst = !newestFirst;
        return store.due(AT_ONCE * config.cronBatchSize(), newestFirst)
                .chain(due -> due.isEmpty() ? untilDue().chain(this::sleep) : advance(due));
    }

    private Uni<Duration> advance(AllDue all) {
        var due = all.readable();
        var limit = Math.max(1, mostTicks / Math.clamp(due.size(), 1, config.cronBatchSize()));
        var advances = new ArrayList<Advance>(due.size());
        var broken = new ArrayList<Uni<Void>>();
        all.unreadable().forEach(one -> broken.add(setAside(one.jobId(), one.nextRunAt(), one.reason())));
        for (var one : due) {
            try {
                advances.add(plan(one, limit));
            } catch (RuntimeException e) {
                broken.add(setAside(one, e));
            }
        }
        // Schedulers that move on the same schedules at the same time lock them in one order.
        advances.sort(Comparator.comparing(Advance::jobId));
        return Uni.join()
                .all(broken.isEmpty() ? List.of(Uni.createFrom().voidItem()) : broken)
                .andFailFast()
                .chain(() -> advanceAtOnce(advances, due))
                .invoke(() -> mostTicks = Math.min(MAX_TICKS, mostTicks + MORE_TICKS))
                .onFailure()
                .invoke(() -> mostTicks = Math.max(MIN_TICKS, mostTicks / 2))
                .replaceWith(Duration.ZERO);
    }

    private static Advance plan(Due due, int limit) {
        var schedule = Schedules.of(due.timetable(), due.policy().startsAt(), TickId.seed(due.rootId()));
        return TickPlan.of(due, schedule, limit);
    }

    private Uni<Void> advanceAtOnce(List<Advance> advances, List<Due> due) {
        var size = config.cronBatchSize();
        if (advances.size() <= size) {
            return advanceAll(advances, due);
        }
        var parts = new ArrayList<Uni<Void>>(AT_ONCE);
        for (var from = 0; from < advances.size(); from += size) {
            parts.add(advanceAll(advances.subList(from, Math.min(from + size, advances.size())), due));
        }
        // What the other ones have committed is signalled all the same.
        return Uni.join()
                .all(parts)
                .andCollectFailures()
                .onFailure(CompositeException.class)
                .transform(failure -> failure.getCause())
                .replaceWithVoid();
    }

    private Uni<Void> advanceAll(List<Advance> advances, List<Due> due) {
        if (advances.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return store.advance(advances, CronSchedule.timeZoneRules())
                .invoke(advanced -> metrics.decided(advances, advanced))
                .invoke(() -> signal(advances))
                .replaceWithVoid()
                .onFailure(Database::blamesData)
                .recoverWithUni(failure -> advances.size() == 1
                        ? setAside(due, advances.getFirst(), failure)
                        : advanceEach(advances, due));
    }

    /** One of them cannot be stored: each alone, so that it does not hold up the others. */
    private Uni<Void> advanceEach(List<Advance> advances, List<Due> due) {
        var half = advances.size() / 2;
        return advanceAll(advances.subList(0, half), due)
                .chain(() -> advanceAll(advances.subList(half, advances.size()), due));
    }

    private void signal(List<Advance> advances) {
        if (advances.stream().anyMatch(advance -> advance.buffered() != null)) {
            buffered.wake();
        }
    }

    private Uni<Void> setAside(List<Due> due, Advance advance, Throwable failure) {
        return due.stream()
                .filter(one -> one.jobId().equals(advance.jobId()))
                .findFirst()
                .map(one -> setAside(one, failure))
                .orElseGet(() -> Uni.createFrom().voidItem());
    }

    private Uni<Void> setAside(Due due, Throwable failure) {
        return setAside(due.jobId(), due.nextRunAt(), failure);
    }

    /** A schedule that cannot be moved on would be due for ever. */
    private Uni<Void> setAside(UUID jobId, Instant nextRunAt, Throwable failure) {
        LogFields.ofJob(jobId)
                .log(() -> LOG.errorf(
                        failure,
                        "the schedule of job %s cannot be moved on and is set aside",
                        PublicId.JOB.show(jobId)));
        return store.setAside(jobId, nextRunAt, String.valueOf(failure.getMessage()));
    }

    private Uni<Duration> sleep(Duration untilDue) {
        var longest = dueSignal.longestSleep(config.cronTickInterval());
        expected = untilDue.compareTo(longest) <= 0;
        return Uni.createFrom().item(expected ? untilDue : longest);
    }

    private Uni<Duration> untilDue() {
        return store.untilNextDue().map(time -> time == null ? NEVER : time);
    }
}
