package io.taskexec.store.history;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Uuid7;
import io.taskexec.store.history.HistoryDays.Outcome;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Drops the partitions of days that are over for long, and says which rows are left to be removed in batches. */
@Singleton
public final class OldDays {
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
            return Uni.createFrom().item(left(dated, place, kept, Uuid7.floor(end)));
        }
        var partition = dated.get(place);
        return days.drop(partition, end).chain(drop -> {
            if (drop.outcome() == Outcome.DROPPED) {
                return Uni.createFrom().item(new Result(true, drop.removed(), false, partition.firstId(), null));
            }
            if (drop.outcome() == Outcome.KEPT) {
                kept.add(partition);
            }
            return dropOne(dated, place + 1, kept, end);
        });
    }

    /** What was there before there were days is removed in batches anyway, so that little of it is left in the end. */
    private static Result left(List<Partition> dated, int old, Set<Partition> kept, UUID end) {
        var ofDays = dated.stream().filter(Partition::isDay).toList();
        return new Result(
                false,
                0,
                kept.size() < old,
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
