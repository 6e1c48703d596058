package io.taskexec.client.api;

import io.taskexec.client.Http;
import io.taskexec.client.Request;
import io.taskexec.client.model.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** The clock of {@code taskexec dev --virtual-clock}. */
public final class VirtualClock {
    /** An answer comes when all that was due has run. */
    private static final Duration LONGEST_MOVE = Duration.ofMinutes(11);

    private final Http http;

    /**
     * Made by the client.
     *
     * @param http sends its requests
     */
    public VirtualClock(Http http) {
        this.http = http;
    }

    /**
     * Reads the clock.
     *
     * @return the clock
     */
    public Clock get() {
        return http.send(Request.get("dev", "clock"), Clock.class);
    }

    /**
     * Moves the clock ahead. What becomes due meanwhile runs in its order.
     *
     * @param time by how much
     * @return the clock after it
     */
    public Clock advance(Duration time) {
        return move(Map.of("advance", time));
    }

    /**
     * Moves the clock ahead.
     *
     * @param time to this moment
     * @return the clock after it
     */
    public Clock advanceTo(Instant time) {
        return move(Map.of("to", time));
    }

    private Clock move(Map<String, ?> body) {
        return http.send(
                Request.post("dev", "clock").body(body).waiting(LONGEST_MOVE).once(), Clock.class);
    }
}
