package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.live.EventReader.Event;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest events. The stream only goes forward, so reading starts at an earlier position, and later if the
 * server has removed that one.
 */
final class RecentEvents {
    private static final String ALL = "/events";
    private static final int GONE = 410;

    /** The number of events to search for matches. */
    private static final long SEARCHED_EVENTS = 2000;

    private final ServerClient client;
    private final EventSelection selection;
    private final int max;

    /**
     * The result.
     *
     * @param position the position of the newest event, after which a stream can continue
     */
    record Found(List<JsonNode> events, String position) {}

    RecentEvents(ServerClient client, EventSelection selection, int max) {
        this.client = client;
        this.selection = selection;
        this.max = max;
    }

    Found find() throws IOException, InterruptedException {
        var newest = newest();
        var back = max == 0 ? 0 : selection.isEverything() ? max : SEARCHED_EVENTS;
        var first = Math.max(0, newest - back);
        while (first < newest) {
            try {
                return new Found(List.copyOf(read(first, newest)), Long.toString(newest));
            } catch (RefusedException e) {
                if (e.status() != GONE) {
                    throw e;
                }
                first += (newest - first + 1) / 2;
            }
        }
        return new Found(List.of(), Long.toString(newest));
    }

    private long newest() throws IOException, InterruptedException {
        // With the selection, which the server validates.
        try (var reader = EventReader.open(client, selection.path(), null)) {
            return position(reader.next());
        }
    }

    private static long position(@Nullable Event event) throws IOException {
        if (event == null) {
            throw new IOException("the event stream ended immediately");
        }
        return event.position();
    }

    private Deque<JsonNode> read(long first, long newest) throws IOException, InterruptedException {
        var events = new ArrayDeque<JsonNode>();
        try (var reader = EventReader.open(client, ALL, Long.toString(first))) {
            for (var event = reader.next(); event != null; event = reader.next()) {
                var data = event.data();
                if (data != null && event.position() <= newest && selection.matches(data)) {
                    events.add(data);
                    if (events.size() > max) {
                        var _ = events.removeFirst();
                    }
                }
                if (event.position() >= newest) {
                    break;
                }
            }
        }
        return events;
    }
}
