package io.taskexec.transfer;

import io.taskexec.model.Uuid7;
import io.taskexec.store.ExportStore;
import io.taskexec.store.ExportStore.History;
import jakarta.inject.Singleton;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;

/** Writes all that is stored as lines of JSON. */
@Singleton
public final class Exporter {
    private final ExportStore store;

    public Exporter(ExportStore store) {
        this.store = store;
    }

    /**
     * Writes everything as it was at one moment.
     *
     * @param schema the version of the schema that is there
     */
    public void export(String schema, History history, Rekeying keys, OutputStream stream, RowCount count)
            throws IOException {
        var out = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), 1 << 16);
        out.write(new Header(schema, Uuid7.next(), Clock.systemUTC().instant()).line());
        out.write('\n');
        var rows = new RowWriter(out);
        store.read(history, (part, values) -> {
            rows.write(part, keys.apply(part, values));
            count.add(part.name());
        });
        rows.writeEnd(count.counts());
        out.flush();
    }
}
