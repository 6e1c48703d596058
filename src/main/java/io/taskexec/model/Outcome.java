package io.taskexec.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Everything that can become of an attempt; errors are values here, never exceptions. */
public sealed interface Outcome {
    /** Delivered; {@code output} is what the transport answered. */
    record Succeeded(JsonNode output) implements Outcome {}

    /** Failed in a way that may pass; {@code retryAfter} is how long the receiver asks us to wait. */
    record FailedForNow(Failure failure, @Nullable Duration retryAfter) implements Outcome {}

    /** Failed in a way that another attempt would only repeat. */
    record FailedForGood(Failure failure) implements Outcome {}

    /** Cut short by a shutdown. */
    record Interrupted() implements Outcome {}
}
