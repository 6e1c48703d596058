package io.taskexec.client.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Http;
import io.taskexec.client.Request;
import io.taskexec.client.model.PressureReading;
import java.time.Duration;
import java.util.Map;

/** Signals by which workers hold less urgent work back. */
public final class PressureSignals {
    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public PressureSignals(Http http) {
        this.http = http;
    }

    /**
     * Lists signals and what workers measure.
     *
     * @return all readings
     */
    public JsonNode list() {
        return http.send(Request.get("pressure"), JsonNode.class);
    }

    /**
     * Sets a signal.
     *
     * @param name of the signal
     * @param value 0 to 1
     * @param ttl for how long, at most an hour
     * @return the signal
     */
    public PressureReading set(String name, double value, Duration ttl) {
        var body = Map.of("value", value, "ttl", ttl);
        return http.send(Request.of("PUT", "pressure", name).body(body), PressureReading.class);
    }

    /**
     * Clears a signal.
     *
     * @param name of the signal
     */
    public void clear(String name) {
        http.send(Request.of("DELETE", "pressure", name));
    }
}
