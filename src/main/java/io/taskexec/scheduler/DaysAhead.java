package io.taskexec.scheduler;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.history.HistoryDays;
import io.taskexec.store.history.HistoryDays.Partitions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the partitions of history before their days begin. A day that has begun without one stays so: what ends on it
 * belongs to no day, and a partition that is attached meanwhile would make the statement fail.
 */
@Singleton
final class DaysAhead implements SchedulerDuty {
    private static final int DAYS = 7;
    /** Clocks of other processes may be ahead of this one's. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(30);

    private static final Duration BETWEEN_ROUNDS = Duration.ofHours(1);
    private static final Duration UNTIL_NEXT_TRY = Duration.ofMinutes(1);

    /** A read of all history locks the table of each day and its five indexes. */
    private static final int LOCKS_OF_DAY = 6;

    /** So many such reads must be possible at once. */
    private static final int READS = 20;

    private static final Logger LOG = Logger.getLogger(DaysAhead.class);

    private final HistoryDays days;
    private final int reads;
    private @Nullable LocalDate missed;
    private @Nullable LocalDate toldOf;
    private @Nullable LocalDate countedOn;

    @Inject
    DaysAhead(HistoryDays days) {
        this(days, READS);
    }

    /** The same where so many reads of all history must be possible at once. */
    DaysAhead(HistoryDays days, int reads) {
        this.days = days;
        this.reads = reads;
    }

    @Override
    public String name() {
        return "partitioning history";
    }

    @Override
    public ClockStep clockStep() {
        return ClockStep.OF_DAY;
    }

    @Override
    public Uni<Duration> runOnce() {
        return days.partitions()
                .call(this::countLocks)
                .chain(there -> Multi.createFrom()
                        .items(() -> missing(there))
                        .onItem()
                        .transformToUniAndConcatenate(day -> days.make(day).invoke(isMade -> tell(day, isMade)))
                        .collect()
                        .asList())
                .map(made -> made.contains(false) ? UNTIL_NEXT_TRY : BETWEEN_ROUNDS);
    }

    /** Warns, once a day, where history has more days than the database has locks for. */
    private Uni<Void> countLocks(Partitions there) {
        var today = LocalDate.ofInstant(ProgramClock.now(), ZoneOffset.UTC);
        if (!there.areThere() || today.equals(countedOn)) {
            return Uni.createFrom().voidItem();
        }
        return days.locks()
                .invoke(locks -> {
                    countedOn = today;
                    var ofRead = there.dated().size() * LOCKS_OF_DAY;
                    if ((long) ofRead * reads > locks) {
                        LOG.warnf(
                                "a read of all %d days of history takes %d locks, of about %d that all transactions"
                                        + " together can have: raise max_locks_per_transaction",
                                there.dated().size(), ofRead, locks);
                    }
                })
                .replaceWithVoid();
    }

    /** Once of a day, and not when another process may be making it. */
    private void tell(LocalDate day, boolean isMade) {
        if (isMade || !day.equals(next())) {
            return;
        }
        var isMissedAgain = day.equals(missed);
        missed = day;
        if (isMissedAgain && !day.equals(toldOf)) {
            toldOf = day;
            LOG.warnf(
                    "history of %s gets no partition, and will be removed row by row: long transactions are in the"
                            + " way, or the partitions ..._default are too large or have too many rows of that day",
                    day);
        }
    }

    /** The next day that can have one. */
    private static LocalDate next() {
        return LocalDate.ofInstant(ProgramClock.now().plus(CLOCK_SKEW), ZoneOffset.UTC)
                .plusDays(1);
    }

    private static Stream<LocalDate> missing(Partitions there) {
        var next = next();
        return there.areThere() ? next.datesUntil(next.plusDays(DAYS)).filter(day -> !there.have(day)) : Stream.empty();
    }
}
