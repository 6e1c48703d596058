package io.taskexec.store.dependency;

import static io.taskexec.store.sql.Columns.instant;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/** Counts ends for children and decides by their rules. */
public final class Decisions {
    /** Children of one statement, which looks for the place of each in an array. */
    private static final int MOST = 1_000;

    private final String count;

    public Decisions(Database database) {
        this.count = database.form(DependencyStatement.COUNT);
    }

    /**
     * Ends of parents that one child has not counted.
     *
     * @param ended all of them
     */
    record Sum(UUID child, int ended, int succeeded, int skipped) {}

    /**
     * A child that waits no more.
     *
     * @param isRelease whether it runs; otherwise it is to be skipped
     * @param runAt when it runs
     * @param due whether that is now
     */
    public record Decision(UUID child, boolean isRelease, Instant runAt, boolean due) {}

    /** Decides about children that have just been made, of which some parents may have ended before. */
    public Uni<List<Decision>> decideFirst(SqlConnection transaction, List<Parents.Child> children, Parents parents) {
        return decide(
                transaction,
                children.stream()
                        .filter(child -> child.mayBeDecided(parents))
                        .map(child -> new Sum(child.id(), 0, 0, 0))
                        .toList());
    }

    /** Returns what was decided; children that go on waiting are not in it. They must be locked. */
    Uni<List<Decision>> decide(SqlConnection transaction, List<Sum> sums) {
        if (sums.isEmpty()) {
            return Uni.createFrom().item(List.of());
        }
        if (sums.size() > MOST) {
            return decide(transaction, sums.subList(0, MOST))
                    .chain(first -> decide(transaction, sums.subList(MOST, sums.size()))
                            .map(rest ->
                                    Stream.concat(first.stream(), rest.stream()).toList()));
        }
        var parameters = Tuple.tuple()
                .addValue(sums.stream().map(Sum::child).toArray(UUID[]::new))
                .addValue(column(sums, Sum::ended))
                .addValue(column(sums, Sum::succeeded))
                .addValue(column(sums, Sum::skipped));
        return Database.on(transaction, count, parameters)
                .map(rows -> Columns.list(
                        rows,
                        row -> new Decision(
                                row.getUUID("execution_id"),
                                row.getBoolean("ready"),
                                instant(row, "run_at"),
                                row.getBoolean("due"))));
    }

    private static Integer[] column(List<Sum> sums, Function<Sum, Integer> value) {
        return sums.stream().map(value).toArray(Integer[]::new);
    }
}
