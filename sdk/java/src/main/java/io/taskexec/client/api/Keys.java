package io.taskexec.client.api;

import io.taskexec.client.Http;
import io.taskexec.client.Listing;
import io.taskexec.client.Request;
import io.taskexec.client.model.ApiKey;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys. */
public final class Keys {
    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public Keys(Http http) {
        this.http = http;
    }

    /**
     * Creates a key.
     *
     * @param name for people
     * @param scopes such as {@code jobs}
     * @param expiresIn how long it is valid; null for ever
     * @return the key, which is shown this once
     */
    public ApiKey create(String name, List<String> scopes, @Nullable Duration expiresIn) {
        var body = new LinkedHashMap<String, Object>();
        body.put("name", name);
        body.put("scopes", scopes);
        if (expiresIn != null) {
            body.put("expires_in", expiresIn);
        }
        return http.send(Request.post("keys").body(body).once(), ApiKey.class);
    }

    /**
     * Creates a key for a worker.
     *
     * @param name for people
     * @param endpoints whose tasks it may lease
     * @return the key, which is shown this once
     */
    public ApiKey createForWorker(String name, List<String> endpoints) {
        var body = new LinkedHashMap<String, Object>();
        body.put("name", name);
        body.put("scopes", List.of("work"));
        body.put("endpoints", endpoints);
        return http.send(Request.post("keys").body(body).once(), ApiKey.class);
    }

    /**
     * Lists keys.
     *
     * @return the list
     */
    public Listing<ApiKey> list() {
        return http.list(Request.get("keys"), ApiKey.class);
    }

    /**
     * Reads a key.
     *
     * @param id of the key
     * @return the key without its value
     */
    public ApiKey get(String id) {
        return http.send(Request.get("keys", id), ApiKey.class);
    }

    /**
     * Revokes a key.
     *
     * @param id of the key
     */
    public void revoke(String id) {
        http.send(Request.of("DELETE", "keys", id));
    }
}
