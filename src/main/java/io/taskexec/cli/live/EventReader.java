package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.RefusedException;
import io.taskexec.cli.ServerClient;
import io.taskexec.model.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events, one after the other. */
final class EventReader implements AutoCloseable {
    private final InputStream stream;
    private final BufferedReader lines;

    /**
     * A step forward.
     *
     * @param id the position that the stream has reached
     * @param data the CloudEvent; null when only the position has changed
     */
    record Event(String id, @Nullable JsonNode data) {
        long position() {
            return Long.parseLong(id);
        }
    }

    private EventReader(InputStream stream) {
        this.stream = stream;
        this.lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    /** @param last the id after which it begins; null for now */
    static EventReader open(ServerClient client, String path, @Nullable String last)
            throws RefusedException, IOException, InterruptedException {
        return new EventReader(client.follow(path, last));
    }

    /** Waits for the next one; null when the stream has ended. */
    @Nullable
    Event next() throws IOException {
        var id = "";
        var data = "";
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("id: ")) {
                id = line.substring("id: ".length());
            } else if (line.startsWith("data: ")) {
                data = line.substring("data: ".length());
            } else if (line.isEmpty() && !id.isEmpty()) {
                return new Event(id, data.isEmpty() ? null : Json.parse(data));
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
