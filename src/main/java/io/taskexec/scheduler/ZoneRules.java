package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.TickId;
import io.taskexec.observe.log.LogFields;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.ZoneRulesStore;
import io.taskexec.store.job.ZoneRulesStore.Moved;
import io.taskexec.store.job.ZoneRulesStore.Outdated;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Computes the next ticks anew that were computed with other rules of time zones than this runtime has, and logs what
 * has moved. The rules do not change while a process runs, so that after the first rounds there is nothing left to do.
 */
@Singleton
final class ZoneRules implements SchedulerDuty {
    private static final Logger LOG = Logger.getLogger(ZoneRules.class);
    private static final int BATCH = 500;
    private static final Duration NOTHING_LEFT = Duration.ofHours(1);

    private final ZoneRulesStore store;
    private final String rules;

    @Inject
    ZoneRules(ZoneRulesStore store) {
        this(store, CronSchedule.timeZoneRules());
    }

    ZoneRules(ZoneRulesStore store, String rules) {
        this.store = store;
        this.rules = rules;
    }

    @Override
    public String name() {
        return "following the rules of time zones";
    }

    @Override
    public Uni<Duration> runOnce() {
        return store.outdated(rules, BATCH)
                .chain(outdated -> outdated.isEmpty() ? Uni.createFrom().item(NOTHING_LEFT) : update(outdated));
    }

    private Uni<Duration> update(List<Outdated> outdated) {
        return store.update(outdated.stream().map(ZoneRules::recompute).toList(), rules)
                .replaceWith(Duration.ZERO);
    }

    private static Moved recompute(Outdated old) {
        var next = next(old);
        if (!old.nextRunAt().equals(next)) {
            LogFields.ofJob(old.jobId())
                    .log(() -> LOG.infof(
                            "the next tick of job %s moves from %s to %s: the rules of time zones have changed",
                            PublicId.JOB.show(old.jobId()), old.nextRunAt(), next == null ? "after its end" : next));
        }
        return new Moved(old.jobId(), old.nextRunAt(), old.endedAt(), next);
    }

    /** Null when the schedule ends before it; one that cannot be read is set aside when it is due. */
    private static @Nullable Instant next(Outdated old) {
        var timetable = old.timetable();
        if (timetable == null || !old.nextRunAt().isAfter(old.now())) {
            return old.nextRunAt();
        }
        try {
            var next = Schedules.of(timetable, old.startsAt(), TickId.seed(old.rootId()))
                    .next(old.after());
            var end = old.end();
            return next == null || end == null || next.isBefore(end) ? next : null;
        } catch (InvalidScheduleException | DateTimeException | ArithmeticException _) {
            return old.nextRunAt();
        }
    }
}
