package io.taskexec.check;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Finding;
import io.taskexec.model.Invariant;
import io.taskexec.model.Invariant.Severity;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.TickId;
import io.taskexec.schedule.ExpectedTicks;
import io.taskexec.schedule.InvalidScheduleException;
import io.taskexec.schedule.Schedules;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.store.job.LedgerStore.Expected;
import io.taskexec.store.job.LedgerStore.InForce;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Compares the newest part of the ledgers of schedules in force with the schedules themselves. */
final class TickGaps {
    private static final Invariant INVARIANT = new Invariant(
            "tick_gap", "Every tick of a schedule in force has its line in the ledger.", Severity.VIOLATION);

    private static final UUID START = new UUID(0, 0);
    private static final int PAGE = 100;

    /** Ticks compared in one statement. */
    private static final int CHUNK = 5_000;

    /** More than a day has seconds, and no schedule has ticks that are closer. */
    private static final int MAX_TICKS = 100_000;

    private final LedgerStore store;

    TickGaps(LedgerStore store) {
        this.store = store;
    }

    Uni<Finding> find(CheckDepth scope) {
        return from(START, scope, scope.schedules(), new Finding(INVARIANT, 0, List.of()));
    }

    private Uni<Finding> from(UUID after, CheckDepth scope, int left, Finding found) {
        var limit = Math.min(PAGE, left);
        return store.inForce(after, limit).chain(page -> {
            if (page.isEmpty()) {
                return Uni.createFrom().item(found);
            }
            var ticks = page.stream().flatMap(one -> ticks(one, scope.ledger())).iterator();
            var compared = compare(ticks, found);
            return page.size() < limit || left == limit
                    ? compared
                    : compared.chain(sum -> from(page.getLast().jobId(), scope, left - limit, sum));
        });
    }

    /** Chunk after chunk, so that a schedule for every second is never in memory a hundred times. */
    private Uni<Finding> compare(Iterator<Expected> ticks, Finding found) {
        if (!ticks.hasNext()) {
            return Uni.createFrom().item(found);
        }
        var chunk = new ArrayList<Expected>();
        while (ticks.hasNext() && chunk.size() < CHUNK) {
            chunk.add(ticks.next());
        }
        return store.missing(chunk).map(missing -> add(found, missing)).chain(sum -> compare(ticks, sum));
    }

    private static Stream<Expected> ticks(InForce one, Duration ledger) {
        var timetable = one.timetable();
        if (timetable == null) {
            // Like one whose timetable says nothing, below.
            return Stream.empty();
        }
        try {
            var schedule = Schedules.of(
                    timetable, one.startsAt(), TickId.seed(one.extent().rootId()));
            var start = later(one.extent().from(), one.now().minus(ledger));
            return ExpectedTicks.of(schedule, start, one.extent().until(), MAX_TICKS).ticks().stream()
                    .map(at -> new Expected(one.jobId(), at));
        } catch (InvalidScheduleException _) {
            // It is set aside when its next tick is due, which another invariant tells of.
            return Stream.empty();
        }
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    private static Finding add(Finding found, List<Expected> missing) {
        var examples = Stream.concat(
                        found.examples().stream(),
                        missing.stream().map(tick -> PublicId.JOB.show(tick.jobId()) + " " + tick.at()))
                .limit(Finding.MAX_EXAMPLES)
                .toList();
        return new Finding(INVARIANT, found.count() + missing.size(), examples);
    }
}
