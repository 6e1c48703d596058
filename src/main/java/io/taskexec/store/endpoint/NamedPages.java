package io.taskexec.store.endpoint;

import static io.taskexec.store.sql.Columns.instant;
import static io.taskexec.store.sql.Columns.utc;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.Page;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.Columns;
import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.List;
import java.util.function.Function;

/**
 * Pages of what has a name: by time of creation, newest first, with one row more than asked for to see if more follows.
 */
public final class NamedPages {
    private NamedPages() {}

    /**
     * Reads a page.
     *
     * @param sql takes $1 created_at and $2 name of the last item before (or nulls), and $3 the number of rows
     */
    public static <T> Uni<Page<T, Position>> read(
            Database database, String sql, PageQuery query, Function<Row, T> mapper) {
        var after = query.after();
        var parameters = Tuple.of(
                after == null ? null : utc(after.createdAt()), after == null ? null : after.name(), query.limit() + 1L);
        return database.run(sql, parameters).map(rows -> page(rows, query.limit(), mapper));
    }

    private static <T> Page<T, Position> page(RowSet<Row> rows, int limit, Function<Row, T> mapper) {
        var found = Columns.list(rows, row -> row);
        var shown = found.size() > limit ? found.subList(0, limit) : found;
        List<T> items = shown.stream().map(mapper).toList();
        var next = found.size() > limit ? position(shown.getLast()) : null;
        return new Page<>(items, next);
    }

    private static Position position(Row row) {
        return new Position(instant(row, "created_at"), row.getString("name"));
    }
}
