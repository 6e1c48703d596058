package io.taskexec.cli.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A path of the API with a query. */
public record ServerPath(String path, Map<String, String> query) {
    public static ServerPath of(String path) {
        return new ServerPath(path, Map.of());
    }

    /** Appends a segment to the path. */
    public ServerPath below(String name) {
        return new ServerPath(path + "/" + encode(name), query);
    }

    /** Adds or replaces a query parameter. */
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

    /** A plus means a space in queries only, so none is written. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
