package io.taskexec.observe.trace;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that took its time, as it is exported.
 *
 * @param parentId the span that it is a part of, null when it is the first of its trace
 * @param state what tracing systems have added to the trace, null for nothing
 * @param attributes texts and numbers
 * @param links spans that it follows without being a part of them
 * @param error why it failed, null when it did not
 */
public record Span(
        String traceId,
        String spanId,
        @Nullable String parentId,
        @Nullable String state,
        Kind kind,
        String name,
        Instant start,
        Duration duration,
        Map<String, Object> attributes,
        List<Link> links,
        @Nullable String error) {
    /** Another span. */
    public record Link(String traceId, String spanId) {}

    /** Which side of a call it is, with its number in OTLP. */
    public enum Kind {
        INTERNAL(1),
        SERVER(2),
        CLIENT(3),
        PRODUCER(4);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }
}
