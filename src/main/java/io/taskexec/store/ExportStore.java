package io.taskexec.store;

import jakarta.inject.Singleton;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads all that is stored, as it was at one moment, page by page: what is in memory has a bound, however much there is.
 * By JDBC, where a thread may wait for as long as it takes, and no statement for all of it.
 */
@Singleton
public final class ExportStore {
    private static final int FIRST_PAGE = 100;
    private static final int LONGEST_PAGE = 2_000;
    private static final long PAGE_CHARS = 2_000_000;

    /** How many rows the driver holds, of which one may have more than 1 MiB. */
    private static final int FETCHED_AT_ONCE = 20;

    /** A time in UTC, as the databases write it. */
    private static final Pattern UTC =
            Pattern.compile("(\\d{4}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?)\\+00(?::00)?");

    private final DataSource dataSource;

    public ExportStore(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Takes the rows, one after the other. */
    public interface Sink {
        /**
         * Takes one row.
         *
         * @param values texts, in the order of the part's columns
         */
        void row(Part part, List<@Nullable String> values) throws IOException;
    }

    /** How much of history is read. */
    public sealed interface History {
        /** All that there is. */
        record Everything() implements History {}

        /** What has ended at that moment or later, and all that has not. */
        record Since(Instant from) implements History {}

        /** Nothing that has ended. */
        record Nothing() implements History {}
    }

    /** Reads everything; throws {@link TransferException} when the database does not let it. */
    public void read(History history, Sink sink) throws IOException {
        try (var connection = dataSource.getConnection()) {
            try (var statement = connection.createStatement()) {
                var _ = statement.execute("SET timezone = 'UTC'");
            }
            try {
                Dialect.of(connection).beginSnapshot(connection);
                for (var part : Parts.ALL) {
                    read(connection, all(part, history), since(history), sink);
                }
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /** What to tell of it. */
    static TransferException failure(SQLException cause) {
        return TransferException.of(
                Dialect.hasForgotten(cause)
                        ? "The export took longer than the database keeps what it was at its beginning: raise gc.ttlseconds"
                                + " before the next one, as docs/cockroachdb.md says"
                        : "The database cannot be read",
                cause);
    }

    private static Part all(Part part, History history) {
        return history instanceof History.Everything ? part.keeping("true") : part;
    }

    private static String since(History history) {
        var moment = switch (history) {
            case History.Everything _ -> "-infinity";
            case History.Since(var from) -> from.toString();
            case History.Nothing _ -> "infinity";
        };
        return "'" + moment + "'::timestamptz";
    }

    private static void read(Connection connection, Part part, String since, Sink sink)
            throws SQLException, IOException {
        var limit = FIRST_PAGE;
        List<@Nullable String> last = List.of();
        int found;
        do {
            var asked = limit;
            var chars = 0L;
            found = 0;
            try (var statement = connection.prepareStatement(part.select(since, last.isEmpty()))) {
                statement.setFetchSize(FETCHED_AT_ONCE);
                for (var key = 0; key < part.keys() && !last.isEmpty(); key++) {
                    statement.setString(key + 1, last.get(key));
                }
                statement.setLong(last.isEmpty() ? 1 : part.keys() + 1, asked);
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) {
                        last = values(rows, part);
                        sink.row(part, last);
                        chars += length(last);
                        found++;
                    }
                }
            }
            // The next page has about as many rows as are in memory without harm.
            limit = Math.clamp(PAGE_CHARS * Math.max(found, 1) / Math.max(chars, 1), 1, LONGEST_PAGE);
            if (found < asked) {
                return;
            }
        } while (true);
    }

    private static List<@Nullable String> values(ResultSet row, Part part) throws SQLException {
        var values = new ArrayList<@Nullable String>();
        for (var i = 0; i < part.columns().size(); i++) {
            var text = row.getString(i + 1);
            var isTime = part.columns().get(i).type().equals("timestamptz");
            values.add(text != null && isTime ? UTC.matcher(text).replaceFirst("$1T$2Z") : text);
        }
        return values;
    }

    private static long length(List<@Nullable String> values) {
        var length = 0L;
        for (var value : values) {
            length += value == null ? 0 : value.length();
        }
        return length;
    }
}
