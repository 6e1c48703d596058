package io.taskexec.transfer;

import io.taskexec.store.ImportStore;
import io.taskexec.store.Part;
import io.taskexec.store.TransferException;
import io.taskexec.transfer.RowReader.Line;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what {@link Exporter} has written into a database that has nothing yet. */
@Singleton
public final class Importer {
    private static final int MOST_ROWS = 1_000;
    private static final long MOST_CHARS = 2_000_000;

    private final ImportStore store;

    public Importer(ImportStore store) {
        this.store = store;
    }

    /**
     * Writes everything that is not there yet; throws {@link TransferException} when that cannot be done to its end.
     *
     * @param schema the version of the schema that is there
     */
    public void read(String schema, Rekeying keys, InputStream stream, RowCount count) throws IOException {
        var lines = new Lines(stream);
        var first = lines.next();
        var header = Header.parse(first == null ? "" : first);
        if (!header.schema().equals(schema)) {
            throw new TransferException(
                    "The export is of version %s of the schema and the database has version %s: bring the older one up to date with the newer taskexec, and export again."
                            .formatted(header.schema(), schema));
        }
        store.begin(header.exportId());
        var counts = readRows(lines, keys, count);
        if (!counts.equals(count.counts())) {
            throw new TransferException("Rows are missing: the last line tells of other numbers than there are.");
        }
        store.end(header.exportId());
    }

    private Map<String, Long> readRows(Lines lines, Rekeying keys, RowCount count) throws IOException {
        var batch = new Batch();
        for (var text = lines.next(); text != null; text = lines.next()) {
            switch (RowReader.read(text, lines.number())) {
                case Line.Row(var part, var values) -> {
                    batch.add(part, keys.apply(part, values), text.length());
                    count.add(part.name());
                }
                case Line.End(var counts) -> {
                    batch.flush();
                    return counts;
                }
            }
        }
        throw new TransferException("The export ends before its last line: import all of it, into the same database.");
    }

    /** Rows of one part that are written together. */
    private final class Batch {
        private @Nullable Part part;
        private List<List<@Nullable String>> rows = new ArrayList<>();
        private long chars;

        void add(Part next, List<@Nullable String> values, int length) {
            if (!next.equals(part) || rows.size() == MOST_ROWS || chars + length > MOST_CHARS) {
                flush();
            }
            part = next;
            rows.add(values);
            chars += length;
        }

        void flush() {
            if (part != null && !rows.isEmpty()) {
                store.write(part, rows);
            }
            rows = new ArrayList<>();
            chars = 0;
        }
    }
}
