package io.taskexec.observe.trace;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A span that has ended, as a request or an attempt records it.
 *
 * @param parentId the span that it is a part of, null when it is the first of its trace
 * @param state the {@code tracestate} of the trace, null when there is none
 * @param attributes texts and numbers
 * @param links spans that it follows without being a part of them
 * @param error why it failed, null when it did not
 */
public record EndedSpan(
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

    /** The side of a call, under the names of {@code io.opentelemetry.api.trace.SpanKind}. */
    public enum Kind {
        INTERNAL,
        SERVER,
        CLIENT,
        PRODUCER
    }
}
