package io.taskexec.store;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A part of an export: rows of one table, which are read and written page by page. All values travel as text, in the
 * form that both databases read and write; a cast makes of it what the column holds.
 *
 * @param name what its rows are called
 * @param table where they are
 * @param columns the key first
 * @param keys how many columns the key has that pages follow
 * @param source what is read, called {@code r}
 * @param expressions of columns that are not written as they were read
 * @param kept which rows belong to an export without older history; {@code :since} is its beginning
 * @param insert writes rows that are not there, from {@code u}, an unnest of one array for each column
 */
public record Part(
        String name,
        String table,
        List<Column> columns,
        int keys,
        String source,
        Map<String, String> expressions,
        String kept,
        String insert) {
    private static final String ALL = "true";

    /** How a value looks outside the database. */
    public enum Form {
        TEXT,
        NUMBER,
        BOOLEAN,
        JSON,
        TEXTS
    }

    /**
     * A column.
     *
     * @param type the database's name for it
     */
    public record Column(String name, String type) {
        /** How its values look. */
        public Form form() {
            return switch (type) {
                case "integer", "bigint", "smallint" -> Form.NUMBER;
                case "boolean" -> Form.BOOLEAN;
                case "json" -> Form.JSON;
                case "text[]" -> Form.TEXTS;
                default -> Form.TEXT;
            };
        }

        private String read(String expression) {
            return switch (type) {
                case "bytea" -> "encode(" + expression + ", 'hex')";
                case "text[]" -> "array_to_json(" + expression + ")::text";
                default -> expression + "::text";
            };
        }

        private String written() {
            return type.equals("bytea") ? "decode(u." + name + ", 'hex')" : "u." + name + "::" + type;
        }
    }

    /**
     * All rows of a table.
     *
     * @param columns {@code name:type}, the key first
     */
    static Part of(String table, int keys, String columns) {
        var parsed = Arrays.stream(columns.strip().split("\\s+"))
                .map(column -> column.split(":", 2))
                .map(pair -> new Column(pair[0], pair[1]))
                .toList();
        return new Part(table, table, parsed, keys, table, Map.of(), ALL, insertInto(table, parsed));
    }

    private static String insertInto(String table, List<Column> columns) {
        return "INSERT INTO " + table + " (" + names(columns) + ") SELECT "
                + columns.stream().map(Column::written).collect(Collectors.joining(", "))
                + " FROM u ON CONFLICT DO NOTHING";
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    Part named(String other) {
        return new Part(other, table, columns, keys, source, expressions, kept, insert);
    }

    Part from(String rows) {
        return new Part(name, table, columns, keys, rows, expressions, kept, insert);
    }

    Part with(String column, String expression) {
        var more = new LinkedHashMap<>(expressions);
        more.put(column, expression);
        return new Part(name, table, columns, keys, source, more, kept, insert);
    }

    Part keeping(String condition) {
        return new Part(name, table, columns, keys, source, expressions, condition, insert);
    }

    Part writtenBy(String statement) {
        return new Part(name, table, columns, keys, source, expressions, kept, statement);
    }

    /**
     * Gives a page of rows; its parameters are the key of the last row before, unless it is the first page, and how many
     * rows it may have.
     */
    String select(String since, boolean first) {
        var values = columns.stream()
                .map(column -> column.read(expressions.getOrDefault(column.name(), "r." + column.name())))
                .collect(Collectors.joining(", "));
        var key = columns.subList(0, keys);
        var order = key.stream().map(column -> "r." + column.name()).collect(Collectors.joining(", "));
        var after = key.stream().map(column -> "?::" + column.type()).collect(Collectors.joining(", "));
        var sql = "SELECT " + values + " FROM " + source + " AS r WHERE (" + kept + ")"
                + (first ? "" : " AND (" + order + ") > (" + after + ")")
                + " ORDER BY " + order + " LIMIT ?::bigint";
        return sql.replace(":since", since);
    }

    /** Writes rows; its parameters are arrays of texts, one for each column. */
    String write() {
        var arrays =
                IntStream.range(0, columns.size()).mapToObj(_ -> "?::text[]").collect(Collectors.joining(", "));
        return "WITH u AS (SELECT * FROM unnest(" + arrays + ") AS v(" + names(columns) + ")) " + insert;
    }
}
