package io.taskexec.cli.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.RelativeTime;
import java.time.Instant;

/** Says of a schedule that it is paused, where its next time would be. */
public final class Pauses {
    private Pauses() {}

    /** Whether the resource is a schedule that is paused. */
    public static boolean isIn(JsonNode resource) {
        return resource.path("pause").isObject();
    }

    /** That it is paused, and until when. */
    public static String text(JsonNode resource, Instant now) {
        var until = resource.at("/pause/until");
        return until.isTextual() ? "paused, ends " + RelativeTime.of(Instant.parse(until.asText()), now) : "paused";
    }
}
