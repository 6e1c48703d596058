package io.taskexec.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.taskexec.store.Part;
import io.taskexec.store.Part.Column;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes rows as lines. A field that is not there is null in the database; one that is null is the JSON value. */
final class RowWriter {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    private final Writer out;
    private final JsonGenerator json;

    RowWriter(Writer out) throws IOException {
        this.out = out;
        this.json = FACTORY.createGenerator(out).setRootValueSeparator(null);
    }

    void write(Part part, List<@Nullable String> values) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", part.name());
        json.writeObjectFieldStart("row");
        for (var i = 0; i < values.size(); i++) {
            var value = values.get(i);
            if (value != null) {
                write(part.columns().get(i), value);
            }
        }
        json.writeEndObject();
        endLine();
    }

    private void write(Column column, String value) throws IOException {
        json.writeFieldName(column.name());
        switch (column.form()) {
            case TEXT -> json.writeString(value);
            case NUMBER, BOOLEAN -> json.writeRawValue(value);
            // A line break can only be between tokens, and says nothing there.
            case JSON, TEXTS -> json.writeRawValue(value.replace('\n', ' ').replace('\r', ' '));
        }
    }

    /** The last line, by which it is known that none is missing. */
    void writeEnd(Map<String, Long> counts) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", RowReader.END);
        json.writeObjectFieldStart("rows");
        for (var count : counts.entrySet()) {
            json.writeNumberField(count.getKey(), count.getValue());
        }
        json.writeEndObject();
        endLine();
    }

    private void endLine() throws IOException {
        json.writeEndObject();
        json.flush();
        out.write('\n');
    }
}
