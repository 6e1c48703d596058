package io.taskexec.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Parameters of a request, such as the filters of a list: {@code Query.where("status", "FAILED").and("queue", "mail")}.
 *
 * @param parameters in their order
 */
public record Query(List<Parameter> parameters) {
    private static final Query NONE = new Query(List.of());

    /**
     * One of them.
     *
     * @param name its name
     * @param value its value, not encoded
     */
    public record Parameter(String name, String value) {
        String encoded() {
            return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
        }
    }

    /** Keeps a copy. */
    public Query {
        parameters = List.copyOf(parameters);
    }

    /**
     * Returns a query without parameters.
     *
     * @return one that selects everything
     */
    public static Query all() {
        return NONE;
    }

    /**
     * Returns a query with one parameter.
     *
     * @param name its name
     * @param value its value; times and durations are written as ISO 8601
     * @return the query
     */
    public static Query where(String name, Object value) {
        return NONE.and(name, value);
    }

    /**
     * Returns this query with another parameter.
     *
     * @param name its name
     * @param value its value
     * @return a new query
     */
    public Query and(String name, Object value) {
        return and(new Query(List.of(new Parameter(name, value.toString()))));
    }

    Query and(Query others) {
        var all = new ArrayList<>(parameters);
        all.addAll(others.parameters);
        return new Query(all);
    }

    /** The part of an address from the question mark on, or nothing. */
    String encoded() {
        return parameters.isEmpty()
                ? ""
                : parameters.stream().map(Parameter::encoded).collect(Collectors.joining("&", "?", ""));
    }
}
