package io.taskexec.client.api;

import io.taskexec.client.Http;
import io.taskexec.client.Listing;
import io.taskexec.client.Request;
import java.util.Objects;

/**
 * Resources with a name, such as configs. To change one only as it was read, ask for its {@link #tag} first, and write
 * with {@link io.taskexec.client.Taskexec#ifMatch}.
 *
 * @param <T> the resources
 */
public class Resources<T> {
    final Http http;

    private final String path;
    private final Class<T> type;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     * @param path of the list
     * @param type of a resource
     */
    public Resources(Http http, String path, Class<T> type) {
        this.http = http;
        this.path = path;
        this.type = type;
    }

    /**
     * Lists all.
     *
     * @return the list
     */
    public final Listing<T> list() {
        return http.list(Request.get(path), type);
    }

    /**
     * Reads one.
     *
     * @param name its name
     * @return the resource
     */
    public final T get(String name) {
        return http.send(Request.get(path, name), type);
    }

    /**
     * Reads the entity tag of one.
     *
     * @param name its name
     * @return the tag, which each change changes
     */
    public final String tag(String name) {
        var answer = http.exchange(Request.get(path, name));
        return Objects.requireNonNull(answer.headers().firstValue("ETag").orElse(null), "no ETag");
    }

    /**
     * Creates one.
     *
     * @param resource a map, a builder or a JSON tree
     * @return the resource
     */
    public T create(Object resource) {
        return http.send(Request.post(path).body(resource), type);
    }

    /**
     * Replaces one. Queues and workflow definitions are created if they do not exist.
     *
     * @param name its name
     * @param resource a map, a builder or a JSON tree
     * @return the resource
     */
    public final T put(String name, Object resource) {
        return http.send(Request.of("PUT", path, name).body(resource), type);
    }

    /**
     * Deletes one.
     *
     * @param name its name
     */
    public final void delete(String name) {
        http.send(Request.of("DELETE", path, name));
    }
}
