package io.taskexec.cli.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A path of the API with its query. Immutable. */
public record ServerPath(String path, Map<String, String> query) {
    /** A path without a query. */
    public static ServerPath of(String path) {
        return new ServerPath(path, Map.of());
    }

    /** What is called {@code name} below this path. */
    public ServerPath below(String name) {
        return new ServerPath(path + "/" + encode(name), query);
    }

    /** The same with one parameter more, or another value for it. */
    public ServerPath with(String parameter, String value) {
        var more = new LinkedHashMap<>(query);
        more.put(parameter, value);
        return new ServerPath(path, more);
    }

    @Override
    public String toString() {
        return query.isEmpty()
                ? path
                : query.entrySet().stream()
                        .map(e -> e.getKey() + "=" + encode(e.getValue()))
                        .collect(Collectors.joining("&", path + "?", ""));
    }

    /** A plus is a space in queries only, so none is written. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
