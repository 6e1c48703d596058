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
 * The newest events that have happened already. The stream only goes forward, so it is begun some way back; what has been
 * removed for its age is skipped by beginning later, as often as that is needed.
 */
final class RecentEvents {
    private static final String ALL = "/events";
    private static final int GONE = 410;

    /** How far back is looked for what fits. */
    private static final long FARTHEST = 2000;

    private final ServerClient client;
    private final EventSelection selection;
    private final int most;

    /**
     * What was found.
     *
     * @param position the position of the newest event of all, after which one can follow
     */
    record Found(List<JsonNode> events, String position) {}

    RecentEvents(ServerClient client, EventSelection selection, int most) {
        this.client = client;
        this.selection = selection;
        this.most = most;
    }

    Found find() throws RefusedException, IOException, InterruptedException {
        var newest = newest();
        var back = most == 0 ? 0 : selection.isEverything() ? most : FARTHEST;
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

    private long newest() throws RefusedException, IOException, InterruptedException {
        // With the selection, of which the server says when it is none.
        try (var reader = EventReader.open(client, selection.path(), null)) {
            return position(reader.next());
        }
    }

    private static long position(@Nullable Event event) throws IOException {
        if (event == null) {
            throw new IOException("the stream of events ended at once");
        }
        return event.position();
    }

    private Deque<JsonNode> read(long first, long newest) throws RefusedException, IOException, InterruptedException {
        var events = new ArrayDeque<JsonNode>();
        try (var reader = EventReader.open(client, ALL, Long.toString(first))) {
            for (var event = reader.next(); event != null; event = reader.next()) {
                var data = event.data();
                if (data != null && event.position() <= newest && selection.fits(data)) {
                    events.add(data);
                    if (events.size() > most) {
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
