package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.model.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events one after the other. */
final class EventReader implements AutoCloseable {
    /** A server sends a heartbeat every 15 seconds; without one the connection is lost. */
    private static final Duration MAX_SILENCE = Duration.ofSeconds(45);

    private final InputStream stream;
    private final BufferedReader lines;
    private final Duration maxSilence;
    private final Thread watch = Thread.ofVirtual().unstarted(this::closeWhenSilent);
    private volatile long heardAt = System.nanoTime();
    private volatile boolean silent;

    /**
     * An event, or a new position.
     *
     * @param id the position of the stream
     * @param data the CloudEvent; null when only the position has changed
     */
    record Event(String id, @Nullable JsonNode data) {
        long position() {
            return Long.parseLong(id);
        }
    }

    EventReader(InputStream stream, Duration maxSilence) {
        this.stream = stream;
        this.maxSilence = maxSilence;
        this.lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
        watch.start();
    }

    /** @param last the id after which the stream begins; null to begin at the present time */
    static EventReader open(ServerClient client, String path, @Nullable String last)
            throws IOException, InterruptedException {
        return new EventReader(client.follow(path, last), MAX_SILENCE);
    }

    private void closeWhenSilent() {
        try {
            for (var left = timeLeft(); left.isPositive(); left = timeLeft()) {
                Thread.sleep(left);
            }
            silent = true;
            stream.close();
        } catch (InterruptedException | IOException _) {
            // It is closed already.
        }
    }

    private Duration timeLeft() {
        return maxSilence.minusNanos(System.nanoTime() - heardAt);
    }

    /** Waits for the next event; null at the end of the stream. Throws when nothing arrives for too long. */
    @Nullable
    Event next() throws IOException {
        var id = "";
        var data = "";
        for (var line = readLine(); line != null; line = readLine()) {
            if (line.startsWith("id: ")) {
                id = line.substring("id: ".length());
            } else if (line.startsWith("data: ")) {
                data = line.substring("data: ".length());
            } else if (line.isEmpty() && !id.isEmpty()) {
                return new Event(id, data.isEmpty() ? null : Json.parseAnswer(data));
            }
        }
        return null;
    }

    private @Nullable String readLine() throws IOException {
        try {
            var line = lines.readLine();
            heardAt = System.nanoTime();
            return line;
        } catch (IOException e) {
            throw silent ? new IOException("nothing has come for " + maxSilence.toSeconds() + " s", e) : e;
        }
    }

    @Override
    public void close() throws IOException {
        watch.interrupt();
        stream.close();
    }
}
