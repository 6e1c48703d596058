package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.millisOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.LaneMarks.Last;
import io.taskexec.store.execution.LaneMarks.Part;
import io.taskexec.store.execution.LaneMarks.Parts;
import io.taskexec.store.metrics.StoreMetrics;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Claims due executions that have no flow key, one claim after the other. */
final class PlainClaims {
    /** So far ahead is looked for what is due next while there are marks, since traces of claims are there too. */
    private static final Duration AHEAD = Duration.ofMillis(100);

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = Logger.getLogger(PlainClaims.class);

    private final Database database;
    private final DueSignal dueSignal;
    private final StoreMetrics metrics;
    private final boolean hasMarks;
    private final String claim;
    private final String look;
    private final LaneMarks marks = new LaneMarks(System.nanoTime());
    private volatile long lateCommits;

    PlainClaims(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.metrics = database.metrics();
        this.hasMarks = database.isPostgresql();
        this.claim = database.form(
                hasMarks
                        ? metrics.areOn() ? ClaimStatement.MARKED_MEASURED : ClaimStatement.MARKED
                        : metrics.areOn() ? ClaimStatement.PLAIN_MEASURED : ClaimStatement.PLAIN);
        this.look = database.keepingPlan(IS_OLDER_DUE);
    }

    /** Claims at most {@code limit} due executions of these lanes, the first lanes first, from their marks on. */
    Uni<List<Claim>> claim(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        forgetOldTimes();
        return claim(marks.forClaim(lanes, System.nanoTime()), limit, lease, workerId);
    }

    /** The same of all that is due. */
    Uni<List<Claim>> claimOfAll(Integer[] lanes, int limit, Duration lease, UUID workerId) {
        return claim(LaneMarks.unmarked(lanes), limit, lease, workerId);
    }

    private Uni<List<Claim>> claim(Parts parts, int limit, Duration lease, UUID workerId) {
        // Random and not a counter: a counter could repeat after a failover that lost the last commits.
        var token = ThreadLocalRandom.current().nextLong();
        var askedAt = System.nanoTime();
        var parameters = Tuple.tuple()
                .addValue(lanes(parts))
                .addLong((long) limit)
                .addLong(lease.toMillis())
                .addLong(token)
                .addUUID(workerId)
                .addInteger(LeaseStore.MAX_RESCUES);
        return database.run(claim, hasMarks ? add(parts, parameters) : parameters)
                .chain(rows -> {
                    if (metrics.areOn()) {
                        metrics.claims().claimed(rows, rows.size());
                    }
                    if (hasMarks) {
                        var last = rows.size() < limit ? null : last(rows);
                        marks.claimed(parts, askedAt, System.nanoTime(), rows.size(), last);
                        lookAtOlder();
                    }
                    return ClaimRows.read(database, rows, token);
                });
    }

    /** Tells that an execution began here when it was created. */
    void beganAtOnce() {
        marks.beganAtOnce(System.nanoTime());
    }

    private void forgetOldTimes() {
        // A clock that is moved makes things due at any time before it, and a function in the database may have
        // committed long after its time.
        var late = dueSignal.lateCommits();
        if (late != lateCommits || ProgramClock.ahead().isPositive()) {
            marks.clear();
            lateCommits = late;
        }
    }

    private static Integer[] lanes(Parts parts) {
        return parts.lanes().toArray(Integer[]::new);
    }

    private static Tuple add(Parts parts, Tuple parameters) {
        var all = parts.parts();
        return parameters
                .addValue(all.stream().map(Part::first).toArray(Integer[]::new))
                .addValue(all.stream().map(Part::last).toArray(Integer[]::new))
                .addValue(all.stream().map(Part::millis).toArray(Long[]::new));
    }

    private static Last last(RowSet<Row> rows) {
        var first = rows.iterator().next();
        var seconds = first.getDouble("last_wait");
        return new Last(first.getInteger("last_lane"), seconds == null ? null : (long) (seconds * NANOS));
    }

    static final String IS_OLDER_DUE = """
            SELECT EXISTS (
                SELECT 1
                FROM unnest((SELECT $2::int[]), (SELECT $3::int[]), (SELECT $4::bigint[])) AS part(first, last, millis),
                  LATERAL (
                    SELECT 1 FROM exec_live
                    WHERE lane = ANY((SELECT $1::int[])[part.first:part.last])
                      AND visible_at < now() - part.millis * interval '1 millisecond'
                      AND visible_at >= coalesce(
                        now() - (part.millis + (SELECT $5::bigint)) * interval '1 millisecond', '-infinity')
                    LIMIT 1
                  ) AS older
              ) AS is_older_due
            """;

    /** The claim does not wait for it. */
    private void lookAtOlder() {
        var begun = marks.beginLook(System.nanoTime());
        if (begun != null) {
            var _ = isOlderDue(begun)
                    .onTermination()
                    .invoke(() -> marks.looked(begun, System.nanoTime()))
                    .subscribe()
                    .with(
                            this::looked,
                            failure -> LOG.warnf(
                                    "look at what was committed late failed, will be tried again: %s", failure));
        }
    }

    /** Whether something is due that is older than the marks, as far back as this look begins. */
    Uni<Boolean> isOlderDue(LaneMarks.Look begun) {
        var parts = marks.forOlder(begun.beganAt());
        var parameters = add(parts, Tuple.tuple().addValue(lanes(parts))).addLong(millisOrNull(begun.back()));
        return database.run(look, parameters).map(rows -> rows.iterator().next().getBoolean("is_older_due"));
    }

    private void looked(boolean isOlderDue) {
        if (isOlderDue) {
            marks.clear();
            dueSignal.heard(Set.of(Work.PUSHED));
        }
    }

    // Not more than a day, since there is no interval up to an infinite time.
    static final String NEXT_DUE = """
            SELECT ceil(
                     extract(epoch FROM min(least(next.visible_at, now() + interval '1 day')) - now()) * 1000
                   )::bigint AS delay_ms
            FROM unnest((SELECT $1::int[]), (SELECT $2::bigint[])) AS wanted(lane, millis),
              LATERAL (
                SELECT visible_at FROM exec_live
                WHERE lane = wanted.lane
                  AND visible_at >= coalesce(now() - wanted.millis * interval '1 millisecond', '-infinity')
                  AND visible_at <= coalesce(now() + $3::bigint * interval '1 millisecond', 'infinity')
                ORDER BY visible_at
                LIMIT 1
              ) AS next
            """;

    /**
     * How long until the next execution of these lanes becomes due, zero or less when one is, or until the next look;
     * null when the lanes are empty.
     */
    Uni<@Nullable Duration> untilNextDue(Integer[] lanes) {
        forgetOldTimes();
        var parts = marks.forNext(lanes, System.nanoTime());
        var near = parts.areMarked() ? AHEAD : null;
        var parameters =
                Tuple.tuple().addValue(lanes(parts)).addValue(millis(parts)).addLong(millisOrNull(near));
        return database.run(NEXT_DUE, parameters)
                .map(rows -> Columns.first(rows, row -> {
                    var delay = row.getLong("delay_ms");
                    return delay == null ? near : Duration.ofMillis(delay);
                }));
    }

    /** For each lane. */
    private static @Nullable Long[] millis(Parts parts) {
        return parts.parts().stream()
                .flatMap(part -> Collections.nCopies(part.last() - part.first() + 1, part.millis()).stream())
                .toArray(Long[]::new);
    }
}
