package io.taskexec.store.dependency;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.store.dependency.Decisions.Sum;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the ends of parents for their children, and releases or skips those whose rule is decided by it. Nothing else
 * does, so that a child is released once, however many processes end its parents.
 */
@Singleton
public final class DependencyReleases {
    private static final Logger LOG = Logger.getLogger(DependencyReleases.class);

    /** Parents that one transaction takes, and executions that one statement skips. */
    private static final int BATCH = 500;

    /** Children of one parent that one transaction counts, where all of them were too many; fewer after a failure. */
    private static final int SOME = 5_000;

    private static final int FEW = 100;

    /** A run of a loop that takes much longer counts as stuck. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private static final Batcher.Limits LIMITS = new Batcher.Limits(BATCH, 100_000, 1);

    private final Database database;
    private final DueSignal dueSignal;
    private final boolean isAsked;
    private final Batcher<UUID, Integer> requests;
    private final Decisions decisions;
    private final String skip;

    /** Notes that are taken at once: fewer after a failure. */
    private volatile int most = BATCH;

    private volatile int mostChildren = SOME;

    @Inject
    public DependencyReleases(Database database, DueSignal dueSignal) {
        this(database, dueSignal, true);
    }

    private DependencyReleases(Database database, DueSignal dueSignal, boolean isAsked) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.isAsked = isAsked;
        this.decisions = new Decisions(database);
        this.skip = database.form(DependencyStatement.SKIP);
        this.requests = new Batcher<>("ends to be counted", LIMITS, this::countAll);
    }

    /** Ignores requests, as for a transaction that is rolled back. */
    public static DependencyReleases none(Database database) {
        return new DependencyReleases(database, new DueSignal(), false);
    }

    /** Counts soon what a statement with {@link EndedParents#COLUMN} has ended. */
    public void after(RowSet<Row> answer) {
        request(EndedParents.in(answer));
    }

    /**
     * Counts soon the ends of these parents. A release that fails is made up for later: what was to be done is noted in
     * the database.
     */
    public void request(Collection<UUID> parents) {
        if (isAsked) {
            parents.forEach(parent -> requests.submit(parent)
                    .subscribe()
                    .with(_ -> {}, failure -> LOG.warnf("children of %s are released later: %s", parent, failure)));
        }
    }

    /** Skips soon what was created although its rule cannot hold, or never will. */
    public void requestSkip() {
        if (isAsked) {
            Multi.createBy()
                    .repeating()
                    .uni(this::skip)
                    .whilst(rows -> rows.size() == BATCH)
                    .map(EndedParents::in)
                    .subscribe()
                    .with(this::request, failure -> LOG.warnf("executions are skipped later: %s", failure));
        }
    }

    /** What is skipped follows later, so that a long line of children keeps no other ends waiting. */
    private Uni<List<Integer>> countAll(List<UUID> parents) {
        return step(DependencyStatement.TAKE, Tuple.tuple().addValue(parents.toArray(UUID[]::new)))
                .invoke(counted -> {
                    if (counted.doomed()) {
                        requestSkip();
                    }
                })
                .map(counted -> Collections.nCopies(parents.size(), counted.released()));
    }

    /** Of what this skips, the children are still to be counted. */
    private Uni<RowSet<Row>> skip() {
        return database.run(skip, Tuple.of((long) BATCH))
                .invoke(rows -> database.metrics().skipped(rows.size()));
    }

    /**
     * Counts all ends that are noted, in case that a process that was to do it has died, and skips all that is to be
     * skipped; what is left after some seconds is for the next time.
     *
     * @return how many executions were released or skipped
     */
    public Uni<Integer> release() {
        var end = System.nanoTime() + LONGEST.toNanos();
        return Multi.createBy()
                .repeating()
                .uni(this::round)
                .whilst(round -> round.mayHaveLeft() && System.nanoTime() - end < 0)
                .collect()
                .with(Collectors.summingInt(Round::done));
    }

    private Uni<Round> round() {
        var limit = most;
        return step(DependencyStatement.TAKE_ANY, Tuple.of((long) limit))
                .invoke(() -> most = Math.min(BATCH, limit + BATCH / 10))
                .map(counted -> new Round(counted.taken() == limit, counted.released()))
                .onFailure()
                .recoverWithUni(failure -> {
                    most = Math.max(1, limit / 2);
                    return part(DependencyStatement.LARGEST)
                            .chain(round -> round == null
                                    ? Uni.createFrom().failure(failure)
                                    : Uni.createFrom().item(round));
                })
                .chain(round -> part(DependencyStatement.IN_PARTS).map(round::and))
                .chain(round -> skip().map(skipped -> round.and(new Round(skipped.size() > 0, skipped.size()))));
    }

    /** Counts the end of a parent, which a statement finds, for some of its children; null without a parent. */
    private Uni<@Nullable Round> part(String found) {
        var children = mostChildren;
        return database.run(found, Tuple.of((long) BATCH))
                .map(rows -> Columns.first(rows, row -> row.getUUID("parent_id")))
                .chain(parent -> parent == null
                        ? Uni.createFrom().nullItem()
                        : part(parent, children)
                                .invoke(() -> mostChildren = Math.min(SOME, children + Math.max(1, children / 10)))
                                .onFailure()
                                .invoke(() -> mostChildren = Math.max(FEW, children / 2))
                                .map(counted -> new Round(true, counted.released())));
    }

    /** @param children of the transaction */
    Uni<Counted> part(UUID parent, int children) {
        return database.withTransaction(transaction -> Database.on(
                                transaction, DependencyStatement.TAKE_APART, Tuple.of(parent))
                        .chain(note -> note.rowCount() == 0
                                ? Uni.createFrom().item(new Counted(0, 0, false))
                                : countEnds(
                                        transaction, DependencyStatement.TAKE_SOME, Tuple.of(parent, (long) children))))
                .invoke(this::signal);
    }

    /**
     * The result of a round.
     *
     * @param mayHaveLeft whether there may be more to do
     * @param done executions that were released or skipped
     */
    private record Round(boolean mayHaveLeft, int done) {
        Round and(@Nullable Round other) {
            return other == null ? this : new Round(mayHaveLeft || other.mayHaveLeft, done + other.done);
        }
    }

    /** The same, at the cost of one look when there is nothing to do. */
    public Uni<Integer> releaseIfAny() {
        return database.run(DependencyStatement.IS_ANY, Tuple.tuple())
                .chain(rows -> rows.iterator().next().getBoolean("is_any")
                        ? release()
                        : Uni.createFrom().item(0));
    }

    /**
     * The result of a transaction.
     *
     * @param taken notes, or children of one
     * @param doomed whether some are to be skipped
     */
    record Counted(int taken, int released, boolean doomed) {}

    private Uni<Counted> step(String take, Tuple parameters) {
        return database.withTransaction(transaction -> countEnds(transaction, database.keepingPlan(take), parameters))
                .invoke(this::signal);
    }

    private void signal(Counted counted) {
        if (counted.released() > 0) {
            dueSignal.raise();
        }
    }

    private Uni<Counted> countEnds(SqlConnection transaction, String take, Tuple parameters) {
        return Database.on(transaction, take, parameters).chain(rows -> {
            var taken = Taken.of(rows);
            return decisions.decide(transaction, taken.sums()).map(decided -> {
                var released = (int)
                        decided.stream().filter(Decisions.Decision::isRelease).count();
                return new Counted(taken.count(), released, released < decided.size());
            });
        });
    }

    /** The notes that were taken, and what follows for the children that are locked and wait for that. */
    private record Taken(int count, List<Sum> sums) {
        static Taken of(RowSet<Row> rows) {
            var count = 0;
            var found = new HashMap<UUID, Row>();
            var sums = new ArrayList<Sum>();
            for (var row : rows) {
                @Nullable UUID child = row.getUUID("child_id");
                @Nullable Integer ended = row.getInteger("ended");
                if (child == null) {
                    count = Objects.requireNonNull(ended);
                } else if (ended != null) {
                    found.put(child, row);
                } else {
                    var sum = Objects.requireNonNull(found.get(child));
                    if (sum.getBoolean("of_run").equals(row.getBoolean("of_run"))) {
                        sums.add(new Sum(
                                child,
                                sum.getInteger("ended"),
                                sum.getInteger("succeeded"),
                                sum.getInteger("skipped")));
                    }
                }
            }
            return new Taken(count, sums);
        }
    }
}
