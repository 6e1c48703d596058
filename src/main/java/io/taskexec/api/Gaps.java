package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TickId;
import io.taskexec.schedule.ExpectedTicks;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.LedgerStore;
import io.taskexec.store.LedgerStore.Expected;
import io.taskexec.store.LedgerStore.Extent;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Compares the ledger of a schedule with the schedule itself. */
@Singleton
class Gaps {
    private static final int MAX_EXPECTED = 20_000;

    private final LedgerStore store;

    Gaps(LedgerStore store) {
        this.store = store;
    }

    /**
     * What is missing.
     *
     * @param from the first moment that was looked at
     * @param to the first moment that was not
     * @param expected how many ticks the schedule has in between
     * @param items those of them without a line in the ledger
     * @param more whether there was more to compare than one request may; go on from {@code to}
     */
    @Schema(name = "TickGaps")
    record View(Instant from, Instant to, int expected, List<Instant> items, boolean more) {}

    /**
     * Looks at the ticks from {@code from} to {@code to}, both cut to the time in which the schedule was in force and its
     * ticks have been decided about.
     */
    Uni<View> of(Jobs.Scheduled found, @Nullable Instant from, @Nullable Instant to) {
        return store.extent(found.job().id())
                .chain(extent -> extent == null
                        ? Uni.createFrom().failure(new IllegalStateException("a schedule without a row"))
                        : compare(found, extent, from, to));
    }

    private Uni<View> compare(Jobs.Scheduled found, Extent extent, @Nullable Instant from, @Nullable Instant to) {
        var start = from == null || from.isBefore(extent.from()) ? extent.from() : from;
        var end = to == null || to.isAfter(extent.until()) ? extent.until() : to;
        var trigger = found.trigger();
        var schedule = Schedules.of(trigger.timetable(), trigger.policy().startsAt(), TickId.seed(extent.rootId()));
        var expected = ExpectedTicks.of(schedule, start, end, MAX_EXPECTED);
        var lines = expected.ticks().stream()
                .map(at -> new Expected(found.job().id(), at))
                .toList();
        return store.missing(lines)
                .map(missing -> new View(
                        expected.from(),
                        expected.to(),
                        lines.size(),
                        missing.stream().map(Expected::at).toList(),
                        expected.more()));
    }
}
