package io.taskexec.api.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Cursor;
import io.taskexec.job.Jobs;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.ExpectedTicks;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.LedgerStore.Expected;
import io.taskexec.store.job.LedgerStore.Extent;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Compares the ledger of a schedule with the schedule itself. */
@Singleton
class LedgerGaps {
    private static final int MAX_EXPECTED = 20_000;

    private final LedgerStore store;

    LedgerGaps(LedgerStore store) {
        this.store = store;
    }

    /**
     * The missing ticks.
     *
     * @param from the first moment that was looked at
     * @param to the first moment that was not
     * @param expected how many ticks the schedule has in between
     * @param items those of them without a line in the ledger
     * @param cursor asks for what comes after {@code to}; null at the end. A page may be empty before there is an end.
     */
    @Schema(name = "TickGaps")
    record View(
            Instant from,
            Instant to,
            int expected,
            List<Instant> items,

            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable
            String cursor) {}

    /**
     * The range of ticks to check; null for all.
     *
     * @param limit how many of the missing ones are listed
     */
    record Window(@Nullable Instant from, @Nullable Instant to, int limit) {
        /** @param place where the page before ended */
        static Window of(@Nullable Instant from, @Nullable Instant to, @Nullable Instant place, int limit) {
            return new Window(from == null || (place != null && place.isAfter(from)) ? place : from, to, limit);
        }
    }

    /**
     * Looks at the ticks of a window, which is cut to the time in which the schedule was in force and its ticks have
     * been decided about.
     */
    Uni<View> of(Jobs.Scheduled found, Window window) {
        return store.extent(found.job().id())
                .chain(extent -> extent == null
                        ? Uni.createFrom().failure(new IllegalStateException("a schedule without a row"))
                        : compare(found, extent, window));
    }

    private Uni<View> compare(Jobs.Scheduled found, Extent extent, Window window) {
        var from = window.from();
        var to = window.to();
        var start = from == null || from.isBefore(extent.from()) ? extent.from() : from;
        var end = to == null || to.isAfter(extent.until()) ? extent.until() : to;
        var trigger = found.trigger();
        var schedule = Schedules.of(trigger.timetable(), trigger.policy().startsAt(), TickId.seed(extent.rootId()));
        var expected = ExpectedTicks.of(schedule, start, end, MAX_EXPECTED);
        var lines = expected.ticks().stream()
                .map(at -> new Expected(found.job().id(), at))
                .toList();
        return store.missing(lines, window.limit() + 1)
                .map(missing ->
                        view(expected, missing.stream().map(Expected::at).toList(), window.limit()));
    }

    private static View view(ExpectedTicks expected, List<Instant> missing, int limit) {
        if (missing.size() <= limit) {
            var next = expected.more() ? expected.to() : null;
            return new View(expected.from(), expected.to(), expected.ticks().size(), missing, Cursor.of(next));
        }
        var next = missing.get(limit);
        var compared = Math.toIntExact(
                expected.ticks().stream().filter(tick -> tick.isBefore(next)).count());
        return new View(expected.from(), next, compared, missing.subList(0, limit), Cursor.of(next));
    }
}
