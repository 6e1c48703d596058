package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts the events of the last seconds by type. */
final class EventRates implements AutoCloseable {
    static final Duration WINDOW = Duration.ofSeconds(10);

    private static final Duration BEFORE_RESUMING = Duration.ofSeconds(1);

    private final ServerClient client;
    private final Thread thread = Thread.ofVirtual().unstarted(this::count);
    private final Deque<Counted> events = new ArrayDeque<>();
    private final long begunAt = System.nanoTime();
    private @Nullable String refusal;
    private volatile boolean closed;

    private record Counted(long at, String type) {}

    private EventRates(ServerClient client) {
        this.client = client;
    }

    static EventRates start(ServerClient client) {
        var rates = new EventRates(client);
        rates.thread.start();
        return rates;
    }

    private void count() {
        while (!closed) {
            try (var reader = EventReader.open(client, "/events", null)) {
                refuse(null);
                for (var event = reader.next(); event != null; event = reader.next()) {
                    if (event.data() != null) {
                        add(event.data());
                    }
                }
                Thread.sleep(BEFORE_RESUMING);
            } catch (RefusedException e) {
                refuse(String.valueOf(e.getMessage()));
                if (!e.isTransient()) {
                    return;
                }
                pause();
            } catch (IOException _) {
                // The next frame reports the error.
                pause();
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(closed ? Duration.ZERO : BEFORE_RESUMING);
        } catch (InterruptedException _) {
            // Interrupted by close().
        }
    }

    private synchronized void refuse(@Nullable String reason) {
        refusal = reason;
    }

    private synchronized void add(JsonNode event) {
        events.add(new Counted(System.nanoTime(), event.path("type").asText().replaceFirst(".*\\.", "")));
        forgetOld();
    }

    private void forgetOld() {
        var oldest = System.nanoTime() - WINDOW.toNanos();
        while (!events.isEmpty() && events.getFirst().at() - oldest < 0) {
            var _ = events.removeFirst();
        }
    }

    /** Returns the events per second by type. */
    synchronized Map<String, Double> perSecond() {
        forgetOld();
        var counts = new TreeMap<String, Double>();
        events.forEach(event -> counts.merge(event.type(), 1.0, Double::sum));
        var seconds = Math.clamp((System.nanoTime() - begunAt) / 1e9, 1, (double) WINDOW.toSeconds());
        counts.replaceAll((_, count) -> count / seconds);
        return counts;
    }

    /** Returns the reason why nothing is counted; null when events are counted. */
    synchronized @Nullable String refusal() {
        return refusal;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            // The client waits for the stream when it is closed.
            var _ = thread.join(BEFORE_RESUMING);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
