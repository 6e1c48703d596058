package io.taskexec.store.history;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.history.HistoryDays.Drop;
import io.taskexec.store.history.HistoryDays.Outcome;
import io.taskexec.store.sql.UnavailableException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Drops the partitions of days that are over for long, and says which rows are left to be removed in batches. */
@Singleton
public final class OldDays {
    private static final Logger LOG = Logger.getLogger(OldDays.class);

    /**
     * A day of which much must be kept is left for so long as it is: of what was created in its last hours some ended
     * on the next day, and is as old soon.
     */
    private static final Duration BEFORE_BATCHES = Duration.ofDays(2);

    private final HistoryDays days;

    public OldDays(HistoryDays days) {
        this.days = days;
    }

    /**
     * The day that was dropped, or the rows that are left when none can be.
     *
     * @param dropped whether a day was, so that there may be more
     * @param removed about how many executions were in it
     * @param isBusy whether others were in the way of a day, so that it can be dropped later
     * @param endedBefore ids from here on are in partitions that will be dropped
     * @param leftOverBefore of executions with smaller ids the days are gone; null when history has no days
     */
    public record Result(
            boolean dropped,
            long removed,
            boolean isBusy,
            UUID endedBefore,
            @Nullable UUID leftOverBefore) {}

    /** Drops one partition whose last day was over at {@code end}, if one can be dropped. */
    public Uni<Result> dropOne(Instant end) {
        return days.partitions()
                .chain(there -> there.areThere()
                        ? dropOne(there.dated(), 0, new HashSet<>(), end)
                        : Uni.createFrom().item(new Result(false, 0, false, Uuid7.floor(end), null)));
    }

    private Uni<Result> dropOne(List<Partition> dated, int place, Set<Partition> kept, Instant end) {
        if (place == dated.size() || dated.get(place).end().isAfter(end)) {
            return Uni.createFrom().item(left(dated, kept, false, end));
        }
        var partition = dated.get(place);
        return drop(partition, end).chain(drop -> switch (drop.outcome()) {
            case DROPPED -> Uni.createFrom().item(new Result(true, drop.removed(), false, partition.firstId(), null));
            // What is in the way of one day is in the way of all.
            case BUSY -> Uni.createFrom().item(left(dated, kept, true, end));
            case KEPT -> {
                if (partition.end().plus(BEFORE_BATCHES).isBefore(end)) {
                    kept.add(partition);
                }
                yield dropOne(dated, place + 1, kept, end);
            }
        });
    }

    /** One that something of the user's own keeps, such as a view, keeps no other. */
    private Uni<Drop> drop(Partition partition, Instant end) {
        return days.drop(partition, end)
                .onFailure(failure -> !(failure instanceof UnavailableException))
                .recoverWithItem(failure -> {
                    LOG.warnf("history of %s cannot be dropped: %s", partition.suffix(), failure.getMessage());
                    return new Drop(Outcome.KEPT, 0);
                });
    }

    /** What was there before there were days is removed in batches anyway, so that little of it is left in the end. */
    private static Result left(List<Partition> dated, Set<Partition> kept, boolean isBusy, Instant ended) {
        var end = Uuid7.floor(ended);
        var ofDays = dated.stream().filter(Partition::isDay).toList();
        return new Result(
                false,
                0,
                isBusy,
                ofDays.stream()
                        .filter(day -> !kept.contains(day))
                        .map(Partition::firstId)
                        .findFirst()
                        .filter(first -> first.compareTo(end) < 0)
                        .orElse(end),
                ofDays.stream()
                        .map(Partition::firstId)
                        .findFirst()
                        .filter(first -> first.compareTo(end) < 0)
                        .orElse(end));
    }
}
