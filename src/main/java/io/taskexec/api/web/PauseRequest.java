package io.taskexec.api.web;

import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ProgramClock;
import io.taskexec.request.Fields;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that pauses something from now on.
 *
 * @param until null for a pause without an end
 */
public record PauseRequest(
        @Nullable Instant until, @Nullable String reason) {
    /**
     * Reads a body, which may be left out.
     *
     * @param definition has {@code until} and {@code reason}
     */
    public static PauseRequest read(byte @Nullable [] body, ObjectDefinition definition) {
        var fields = body == null || body.length == 0 ? Fields.none(definition) : Fields.of(body, definition);
        var until = fields.optionalInstant("until");
        if (until != null && !until.isAfter(ProgramClock.now())) {
            fields.violation("until", "must be in the future");
        }
        var pause = new PauseRequest(until, fields.optionalText("reason"));
        fields.check();
        return pause;
    }
}
