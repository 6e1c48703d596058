package io.taskexec.model.flow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;

/**
 * Limits how many executions begin in a time, by the generic cell rate algorithm: in any window as long as
 * {@code per} begin at most {@code limit + burst}.
 *
 * @param limit executions per {@code per}, at least 1
 * @param burst how many may begin at once after a quiet time, at least 1
 */
public record RateLimit(int limit, Duration per, int burst) {
    /** The most executions of a period or a burst. */
    public static final int MAX = 1_000_000;

    /** The longest time in which a burst may refill. */
    public static final Duration LONGEST_BURST = Duration.ofDays(3_650);

    public static final Duration SHORTEST = Duration.ofMillis(1);
    public static final Duration LONGEST = Duration.ofDays(30);

    /** The time between two executions, in microseconds: rounded up, so that the limit is kept. */
    public long spacingMicros() {
        return Math.ceilDivExact(per.toMillis() * 1000, limit);
    }

    /** The time in which all tokens of a burst come back, in microseconds. */
    public long allTokensMicros() {
        return burst * spacingMicros();
    }

    /** The form that the API shows. */
    public ObjectNode toJson() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("limit", limit)
                .put("per", per.toString())
                .put("burst", burst);
    }

    /** Reads back what {@link #toJson} wrote. */
    public static RateLimit of(JsonNode json) {
        return new RateLimit(
                json.path("limit").intValue(),
                Duration.parse(json.path("per").textValue()),
                json.path("burst").intValue());
    }
}
