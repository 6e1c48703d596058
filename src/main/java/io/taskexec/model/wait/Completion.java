package io.taskexec.model.wait;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.dependency.Condition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets the receivers of an endpoint take a delivery and say later how it ends.
 *
 * @param modes that a receiver may choose from, at least one
 * @param timeout the longest that an attempt may be deferred for, unless its receiver asks for more time
 * @param always whether each delivery is deferred, whatever the receiver answers
 * @param heartbeatTimeout the longest that a receiver may be silent; null for as long as it likes
 * @param pollOrigins other origins that may be polled, such as {@code https://status.example.com}
 * @param succeeded a condition on the answer to a poll, as it was given; null for any answer but 202
 * @param failed a condition on the answer to a poll, as it was given; null for none
 */
public record Completion(
        Set<DeferralMode> modes,
        Duration timeout,
        boolean always,
        @Nullable Duration heartbeatTimeout,
        List<String> pollOrigins,
        @Nullable JsonNode succeeded,
        @Nullable JsonNode failed) {
    /** The timeout of an endpoint that names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofDays(1);

    /** The longest timeout, and the longest that an attempt may be deferred for in all. */
    public static final Duration LONGEST = Duration.ofDays(366);

    /** The shortest time between two polls, and the shortest that a receiver may have to be silent. */
    public static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

    /** The most other origins. */
    public static final int MAX_ORIGINS = 16;

    /** The condition by which a poll has succeeded; null for any answer but 202. */
    public @Nullable Condition succeededIf() {
        return succeeded == null ? null : Condition.of(succeeded);
    }

    /** The condition by which a poll says that the work has failed. */
    public @Nullable Condition failedIf() {
        return failed == null ? null : Condition.of(failed);
    }

    /** Whether deliveries name the address of a callback. */
    public boolean takesCallbacks() {
        return modes.contains(DeferralMode.CALLBACK);
    }

    /** The form that the API shows and the store keeps. */
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        modes.stream().map(DeferralMode::word).forEach(json.putArray("modes")::add);
        json.put("timeout", timeout.toString()).put("always", always);
        if (heartbeatTimeout != null) {
            json.put("heartbeat_timeout", heartbeatTimeout.toString());
        }
        if (succeeded != null || failed != null) {
            var poll = json.putObject("poll");
            if (succeeded != null) {
                poll.set("succeeded", succeeded);
            }
            if (failed != null) {
                poll.set("failed", failed);
            }
        }
        if (!pollOrigins.isEmpty()) {
            pollOrigins.forEach(json.putArray("poll_origins")::add);
        }
        return json;
    }

    /** Reads back what {@link #toJson} wrote. */
    public static Completion of(JsonNode json) {
        var modes = EnumSet.noneOf(DeferralMode.class);
        json.path("modes")
                .forEach(mode -> modes.add(DeferralMode.valueOf(mode.asText().toUpperCase(Locale.ROOT))));
        var origins = new ArrayList<String>();
        json.path("poll_origins").forEach(origin -> origins.add(origin.asText()));
        return new Completion(
                modes,
                Duration.parse(json.path("timeout").asText()),
                json.path("always").booleanValue(),
                json.has("heartbeat_timeout")
                        ? Duration.parse(json.get("heartbeat_timeout").asText())
                        : null,
                List.copyOf(origins),
                json.path("poll").get("succeeded"),
                json.path("poll").get("failed"));
    }
}
