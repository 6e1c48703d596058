package io.taskexec.store.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads columns into the types of the model, and the other way round. JSON travels as text, which keeps numbers exact.
 */
public final class Columns {
    /** This is how infinity comes, and it is more than there is in UTC. */
    private static final Instant INFINITY = OffsetDateTime.MAX.toInstant();

    private Columns() {}

    public static Instant instant(Row row, String column) {
        return Objects.requireNonNull(row.getOffsetDateTime(column), () -> column + " is missing")
                .toInstant();
    }

    public static @Nullable Instant instantOrNull(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    /** The time in a column of milliseconds. */
    public static @Nullable Duration durationOrNull(Row row, String column) {
        var millis = row.getLong(column);
        return millis == null ? null : Duration.ofMillis(millis);
    }

    /** The value of a column of milliseconds. */
    public static @Nullable Long millisOrNull(@Nullable Duration time) {
        return time == null ? null : time.toMillis();
    }

    public static JsonNode json(Row row, String column) {
        return Objects.requireNonNull(jsonOrNull(row, column), column);
    }

    public static @Nullable JsonNode jsonOrNull(Row row, String column) {
        return Json.stored(row.getString(column));
    }

    public static @Nullable Duration between(@Nullable Instant start, @Nullable Instant end) {
        return start == null || end == null ? null : Duration.between(start, end);
    }

    public static @Nullable OffsetDateTime utc(@Nullable Instant time) {
        if (time == null) {
            return null;
        }
        return time.equals(INFINITY) ? OffsetDateTime.MAX : time.atOffset(ZoneOffset.UTC);
    }

    /** The values of one column for a statement that takes many rows. A stream would cost more. */
    public static <T, V> V[] array(
            Collection<T> rows, IntFunction<V[]> empty, Function<T, ? extends @Nullable V> value) {
        var values = new ArrayList<@Nullable V>(rows.size());
        for (var row : rows) {
            values.add(value.apply(row));
        }
        return values.toArray(empty);
    }

    public static <T> List<T> list(RowSet<Row> rows, Function<Row, T> mapper) {
        return StreamSupport.stream(rows.spliterator(), false).map(mapper).toList();
    }

    public static Set<UUID> ids(RowSet<Row> rows, String column) {
        return Set.copyOf(list(rows, row -> row.getUUID(column)));
    }

    public static <T> @Nullable T first(RowSet<Row> rows, Function<Row, ? extends @Nullable T> mapper) {
        var iterator = rows.iterator();
        return iterator.hasNext() ? mapper.apply(iterator.next()) : null;
    }
}
