package io.taskexec.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A request that {@link Http} sends. It is repeated after lost answers unless it is sent {@link #once()}. */
public final class Request {
    private final String method;
    private final String path;
    private Query query = Query.all();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable Object body;
    private boolean isRepeatable = true;
    private Duration wait = Duration.ZERO;

    private Request(String method, String path) {
        this.method = method;
        this.path = path;
    }

    /**
     * Makes a request.
     *
     * @param method such as {@code POST}
     * @param path its segments, not encoded
     * @return the request
     */
    public static Request of(String method, String... path) {
        return new Request(method, Arrays.stream(path).map(Request::encode).collect(Collectors.joining("/", "/", "")));
    }

    /**
     * Makes a request that reads.
     *
     * @param path its segments, not encoded
     * @return the request
     */
    public static Request get(String... path) {
        return of("GET", path);
    }

    /**
     * Makes a request that creates or does something.
     *
     * @param path its segments, not encoded
     * @return the request
     */
    public static Request post(String... path) {
        return of("POST", path);
    }

    /**
     * Adds parameters.
     *
     * @param parameters to add
     * @return this
     */
    public Request with(Query parameters) {
        query = query.and(parameters);
        return this;
    }

    /**
     * Sets the body.
     *
     * @param value becomes JSON: a map, a record of the API or a JSON tree
     * @return this
     */
    public Request body(Object value) {
        body = value;
        return this;
    }

    /**
     * Adds a header.
     *
     * @param name of the header
     * @param value its value
     * @return this
     */
    public Request header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /**
     * Sends it once: when it is not known whether it was carried out, the caller has to decide.
     *
     * @return this
     */
    public Request once() {
        isRepeatable = false;
        return this;
    }

    /**
     * Says that the server waits before it answers.
     *
     * @param time for so long
     * @return this
     */
    public Request waiting(Duration time) {
        wait = time;
        return this;
    }

    /** The same for the page after a cursor. */
    Request withCursor(String cursor) {
        var next = new Request(method, path).with(query).with(Query.where("cursor", cursor));
        next.headers.putAll(headers);
        next.body = body;
        next.isRepeatable = isRepeatable;
        next.wait = wait;
        return next;
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    Query query() {
        return query;
    }

    @Nullable
    Object body() {
        return body;
    }

    Map<String, String> headers() {
        return headers;
    }

    boolean isRepeatable() {
        return isRepeatable;
    }

    Duration waiting() {
        return wait;
    }

    private static String encode(String segment) {
        if (segment.isEmpty()) {
            throw new IllegalArgumentException("an empty name or id");
        }
        // Servers take dots alone for a step in a path, however they are encoded.
        if (segment.equals(".") || segment.equals("..")) {
            throw new IllegalArgumentException("'" + segment + "' cannot be part of a path");
        }
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
