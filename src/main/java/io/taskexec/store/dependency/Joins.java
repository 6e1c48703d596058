package io.taskexec.store.dependency;

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
import java.util.Collections;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Counts the ends of parents for their children, and releases or skips those whose rule is decided by it. Nothing else
 * does, so that a child is released once, however many processes end its parents.
 */
@Singleton
public final class Joins {
    private static final Logger LOG = Logger.getLogger(Joins.class);

    /** Parents that one transaction takes, and executions that one statement skips. */
    static final int BATCH = 500;

    /** Requests only say that there is something to do, so as many as come at once are one. */
    private static final Batcher.Limits LIMITS = new Batcher.Limits(100_000, 100_000, 1);

    private final Database database;
    private final DueSignal dueSignal;
    private final boolean isAsked;
    private final Batcher<Boolean, Integer> requests;
    private final Decisions decisions;
    private final String skip;

    @Inject
    public Joins(Database database, DueSignal dueSignal) {
        this(database, dueSignal, true);
    }

    private Joins(Database database, DueSignal dueSignal, boolean isAsked) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.isAsked = isAsked;
        this.decisions = new Decisions(database);
        this.skip = database.form(JoinStatement.SKIP);
        this.requests = new Batcher<>("joins", LIMITS, Database::blamesData, this::joinAll);
    }

    /** Ignores requests, as for a transaction that is rolled back. */
    public static Joins none(Database database) {
        return new Joins(database, new DueSignal(), false);
    }

    /**
     * Counts soon what a statement has ended, if it has noted any parents. A join that fails is made up for later: what
     * was to be done is noted in the database.
     *
     * @param answer of a statement with {@link EndedParents#COLUMN}
     */
    public void after(RowSet<Row> answer) {
        if (EndedParents.areIn(answer)) {
            request(false);
        }
    }

    /** Counts soon what a transaction has ended, and skips what it has made whose rule cannot hold. */
    public void request() {
        request(true);
    }

    private void request(boolean skips) {
        if (isAsked) {
            requests.submit(skips)
                    .subscribe()
                    .with(_ -> {}, failure -> LOG.warnf("children of ended jobs are released later: %s", failure));
        }
    }

    private Uni<List<Integer>> joinAll(List<Boolean> asked) {
        return join(asked.contains(true)).map(count -> Collections.nCopies(asked.size(), count));
    }

    /**
     * Counts all ends that are noted, and all that follow from them: of what is skipped the children are counted too.
     *
     * @return how many executions were released or skipped
     */
    public Uni<Integer> join() {
        return join(true);
    }

    /** The same, at the cost of one look when there is nothing to do. */
    public Uni<Integer> joinIfAny() {
        return database.run(JoinStatement.IS_ANY, Tuple.tuple())
                .chain(rows -> rows.iterator().next().getBoolean("is_any")
                        ? join()
                        : Uni.createFrom().item(0));
    }

    private Uni<Integer> join(boolean skips) {
        return step(skips)
                .chain(step -> step.isLast()
                        ? Uni.createFrom().item(step.decided())
                        : join(step.mayHaveMoreToSkip()).map(rest -> step.decided() + rest));
    }

    /**
     * The work of one transaction, and of one statement after it.
     *
     * @param hasEnded whether parents were among those that were skipped
     */
    private record Step(int taken, int released, int skipped, boolean hasEnded) {
        int decided() {
            return released + skipped;
        }

        boolean isLast() {
            return taken < BATCH && !mayHaveMoreToSkip() && !hasEnded;
        }

        boolean mayHaveMoreToSkip() {
            return skipped == BATCH;
        }
    }

    private Uni<Step> step(boolean skips) {
        return database.withTransaction(this::countEnds)
                .invoke(counted -> {
                    if (counted.released() > 0) {
                        dueSignal.raise();
                    }
                })
                .chain(counted -> skips || counted.doomed()
                        ? skip().map(rows ->
                                new Step(counted.taken(), counted.released(), rows.size(), EndedParents.areIn(rows)))
                        : Uni.createFrom().item(new Step(counted.taken(), counted.released(), 0, false)));
    }

    private record Counted(int taken, int released, boolean doomed) {}

    private Uni<Counted> countEnds(SqlConnection transaction) {
        return Database.on(transaction, JoinStatement.TAKE, Tuple.of((long) BATCH))
                .chain(rows -> {
                    var taken = rows.iterator().next().getLong("taken").intValue();
                    var sums = Columns.list(rows, Joins::sum).stream()
                            .flatMap(List::stream)
                            .toList();
                    return decisions.decide(transaction, sums).map(decided -> {
                        var released = (int) decided.stream()
                                .filter(Decisions.Decision::isRelease)
                                .count();
                        return new Counted(taken, released, released < decided.size());
                    });
                });
    }

    /** There is a row also when no child is left to count for. */
    private static List<Sum> sum(Row row) {
        var child = row.getUUID("child_id");
        return child == null
                ? List.of()
                : List.of(new Sum(
                        child, row.getInteger("ended"), row.getInteger("succeeded"), row.getInteger("skipped")));
    }

    private Uni<RowSet<Row>> skip() {
        return database.run(skip, Tuple.of((long) BATCH))
                .invoke(rows -> database.metrics().skipped(rows.size()));
    }
}
