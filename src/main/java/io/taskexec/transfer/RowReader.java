package io.taskexec.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.taskexec.store.Part;
import io.taskexec.store.Parts;
import io.taskexec.store.TransferException;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a line. What is JSON in the database is taken from it as it stands there, digit by digit. */
final class RowReader {
    static final String END = "end";
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    private RowReader() {}

    /** What a line says. */
    sealed interface Line {
        /**
         * A row.
         *
         * @param values in the order of the part's columns, lists as the database writes them
         */
        record Row(Part part, List<@Nullable String> values) implements Line {}

        /**
         * The last line.
         *
         * @param counts rows of each kind
         */
        record End(Map<String, Long> counts) implements Line {}
    }

    static Line read(String text, long number) {
        try (var json = FACTORY.createParser(text)) {
            check(json.nextToken() == JsonToken.START_OBJECT && "kind".equals(json.nextFieldName()), number);
            var kind = json.nextTextValue();
            var line = END.equals(kind) ? readEnd(json, number) : readRow(json, text, part(kind, number), number);
            check(json.nextToken() == JsonToken.END_OBJECT && json.nextToken() == null, number);
            return line;
        } catch (JsonProcessingException e) {
            throw new TransferException("Line %d is no JSON: %s.".formatted(number, e.getOriginalMessage()));
        } catch (IOException e) {
            throw new IllegalStateException("a text can be read", e);
        }
    }

    private static Part part(@Nullable String kind, long number) {
        var part = kind == null ? null : Parts.named(kind);
        if (part == null) {
            throw new TransferException("Line %d is of a kind that is not known: %s.".formatted(number, kind));
        }
        return part;
    }

    private static Line readRow(JsonParser json, String text, Part part, long number) throws IOException {
        check("row".equals(json.nextFieldName()) && json.nextToken() == JsonToken.START_OBJECT, number);
        var columns = part.columns();
        var values = new @Nullable String[columns.size()];
        for (var name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            var at = 0;
            while (at < columns.size() && !columns.get(at).name().equals(name)) {
                at++;
            }
            if (at == columns.size()) {
                throw new TransferException(
                        "Line %d has a field that '%s' does not have: %s.".formatted(number, part.name(), name));
            }
            values[at] = value(json, text, columns.get(at).form(), number);
        }
        check(json.currentToken() == JsonToken.END_OBJECT, number);
        return new Line.Row(part, Arrays.asList(values));
    }

    private static @Nullable String value(JsonParser json, String text, Part.Form form, long number)
            throws IOException {
        var token = json.nextToken();
        return switch (form) {
            case JSON -> asItStands(json, text);
            case TEXTS -> list(json, number);
            case TEXT, NUMBER, BOOLEAN -> {
                check(token.isScalarValue(), number);
                yield token == JsonToken.VALUE_NULL ? null : json.getText();
            }
        };
    }

    private static String asItStands(JsonParser json, String text) throws IOException {
        var start = json.currentTokenLocation().getCharOffset();
        json.skipChildren();
        json.finishToken();
        return text.substring((int) start, (int) json.currentLocation().getCharOffset());
    }

    private static String list(JsonParser json, long number) throws IOException {
        check(json.currentToken() == JsonToken.START_ARRAY, number);
        var list = new StringBuilder("{");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            check(json.currentToken() == JsonToken.VALUE_STRING, number);
            list.append(list.length() > 1 ? "," : "")
                    .append('"')
                    .append(json.getText().replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return list.append('}').toString();
    }

    private static Line readEnd(JsonParser json, long number) throws IOException {
        check("rows".equals(json.nextFieldName()) && json.nextToken() == JsonToken.START_OBJECT, number);
        var counts = new LinkedHashMap<String, Long>();
        for (var name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            counts.put(name, json.nextLongValue(-1));
        }
        return new Line.End(counts);
    }

    private static void check(boolean condition, long number) {
        if (!condition) {
            throw new TransferException("Line %d is not one of an export.".formatted(number));
        }
    }
}
