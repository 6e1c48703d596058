package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.wait.OnTimeout;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A question that a person decides on.
 *
 * @param title a template
 * @param details a template, if any
 * @param announce the endpoint that tells people of it
 * @param timeout after which it is decided by {@code onTimeout}
 * @param remindEvery the time between two announcements; null for one alone
 */
public record ApprovalSpec(
        String title,
        @Nullable String details,
        String announce,
        Duration timeout,
        @Nullable Duration remindEvery,
        OnTimeout onTimeout)
        implements EndpointSpec {
    /** The timeout of an endpoint that names none. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofDays(7);

    /** The shortest time between two announcements. */
    public static final Duration SHORTEST_REMINDER = Duration.ofMinutes(1);

    @Override
    public EndpointType type() {
        return EndpointType.APPROVAL;
    }

    @Override
    public ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("title", title);
        if (details != null) {
            json.put("details", details);
        }
        json.put("announce", announce).put("timeout", timeout.toString());
        if (remindEvery != null) {
            json.put("remind_every", remindEvery.toString());
        }
        return json.put("on_timeout", onTimeout.word());
    }

    /** Reads back what {@link #toJson} wrote. */
    static ApprovalSpec of(JsonNode json) {
        return new ApprovalSpec(
                json.path("title").asText(),
                json.path("details").textValue(),
                json.path("announce").asText(),
                Duration.parse(json.path("timeout").asText()),
                json.has("remind_every")
                        ? Duration.parse(json.get("remind_every").asText())
                        : null,
                OnTimeout.valueOf(json.path("on_timeout").asText().toUpperCase(Locale.ROOT)));
    }
}
