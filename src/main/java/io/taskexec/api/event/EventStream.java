package io.taskexec.api.event;

import io.taskexec.model.Json;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.request.RequestId;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One client that follows events, as server-sent events. What it has not taken is not kept for it: it falls behind, and
 * reads the log again from where it is when it has taken that. One that does not take it within half a minute is cut
 * off.
 */
final class EventStream {
    /** Proxies take a connection for dead on which nothing comes. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private static final Duration LONGEST_STALL = Duration.ofSeconds(30);

    /** So that clients spread over the processes that there are by then; they come back by themselves. */
    private static final Duration LIFETIME = Duration.ofHours(1);

    private static final int RECONNECT_MS = 1000;

    private final HttpServerResponse response;
    private final @Nullable String keyId;
    private final Predicate<ExecutionEvent> filter;
    private final long openedAt = System.nanoTime();
    private long position;
    private long writtenAt;
    private long tookAt = openedAt;

    /**
     * @param keyId of the client's key; null for the first one
     * @param position the last event in the log that the client need not be told of
     */
    EventStream(HttpServerResponse response, @Nullable String keyId, Predicate<ExecutionEvent> filter, long position) {
        this.response = response;
        this.keyId = keyId;
        this.filter = filter;
        this.position = position;
    }

    /** Sends the head of the answer. Who loses the connection before the first event resumes where it began. */
    void begin(String requestId) {
        setHead(requestId);
        write("retry: %d\nid: %d\n\n".formatted(RECONNECT_MS, position));
    }

    /** Sets the head of the answer, and sends nothing yet. */
    void setHead(String requestId) {
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream;charset=UTF-8")
                .putHeader("Cache-Control", "no-store")
                // nginx would gather what is to arrive at once.
                .putHeader("X-Accel-Buffering", "no")
                .putHeader(RequestId.HEADER, requestId);
    }

    @Nullable
    String keyId() {
        return keyId;
    }

    long position() {
        return position;
    }

    /** Whether it has taken what was sent, or has ended. */
    boolean takes() {
        return hasEnded() || !response.writeQueueFull();
    }

    /** Sends what it wants of these events, which follow each other in the log. */
    synchronized void deliver(List<ExecutionEvent> events) {
        var text = new StringBuilder();
        for (var event : events) {
            if (event.position() > position && filter.test(event)) {
                text.append("id: ").append(event.position());
                text.append("\nevent: ").append(event.kind().type());
                text.append("\ndata: ").append(Json.write(event.toCloudEvent())).append("\n\n");
            }
        }
        position = Math.max(position, events.getLast().position());
        if (!text.isEmpty()) {
            write(text.toString());
        }
    }

    /**
     * Keeps the connection alive, with the position as the client's last id, so that it does not resume at an event
     * that has been removed when it wants few; ends what has lasted too long.
     */
    synchronized void tend(long now) {
        if (takes()) {
            tookAt = now;
        }
        if (now - tookAt > LONGEST_STALL.toNanos()) {
            var _ = response.reset();
        } else if (now - openedAt > LIFETIME.toNanos()) {
            end();
        } else if (takes() && now - writtenAt > HEARTBEAT.toNanos()) {
            write(": still here\nid: %d\n\n".formatted(position));
        }
    }

    boolean hasEnded() {
        return response.ended() || response.closed();
    }

    /** In good order; the client resumes elsewhere. */
    synchronized void end() {
        if (!hasEnded()) {
            var _ = response.end();
        }
    }

    private void write(String text) {
        writtenAt = System.nanoTime();
        if (!hasEnded()) {
            var _ = response.write(text);
        }
    }
}
