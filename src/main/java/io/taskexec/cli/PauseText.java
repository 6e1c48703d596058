package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.RelativeTime;
import java.time.Instant;

/** Formats the pause of a schedule or a queue. */
public final class PauseText {
    private PauseText() {}

    /** Returns whether the resource is a paused schedule or queue. */
    public static boolean isIn(JsonNode resource) {
        return resource.path("pause").isObject() || resource.path("paused").asBoolean();
    }

    /** Returns that it is paused, and until when. */
    public static String text(JsonNode resource, Instant now) {
        var until = resource.path("paused").asBoolean() ? resource.path("paused_until") : resource.at("/pause/until");
        return until.isTextual() ? "paused, ends " + RelativeTime.of(Instant.parse(until.asText()), now) : "paused";
    }
}
