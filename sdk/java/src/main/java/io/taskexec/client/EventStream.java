package io.taskexec.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Events in their order, without an end until it is closed. After a lost connection it goes on where it was. One thread
 * reads it; any thread may close it.
 */
public final class EventStream implements Iterator<EventStream.Event>, AutoCloseable {
    /** The server sends something every 15 seconds, and closes a stream after an hour. */
    private static final Duration LONGEST = Duration.ofMinutes(70);

    /** After so long the connection is taken for lost. */
    private static final Duration SILENCE = Duration.ofMinutes(1);

    private final Http http;
    private final Query query;
    private final Duration silence;
    private String lastId;
    private @Nullable BufferedReader lines;
    private volatile @Nullable InputStream stream;
    private volatile @Nullable CompletableFuture<InputStream> opening;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile long heardAt;
    private @Nullable Event next;

    /**
     * Made by {@link io.taskexec.client.api.Events}.
     *
     * @param http sends its requests
     * @param query the filters
     * @param lastId of the event before the first one; empty for now
     */
    public EventStream(Http http, Query query, String lastId) {
        this(http, query, lastId, SILENCE);
    }

    EventStream(Http http, Query query, String lastId, Duration silence) {
        this.http = http;
        this.query = query;
        this.lastId = lastId;
        this.silence = silence;
    }

    /**
     * An event.
     *
     * @param id to follow the events after it
     * @param type such as {@code io.taskexec.execution.succeeded}
     * @param data the CloudEvent
     */
    public record Event(String id, String type, JsonNode data) {}

    /**
     * Waits for an event.
     *
     * @return false when the stream was closed
     * @throws TaskexecException when the server refuses, such as with {@code EVENTS_GONE}
     */
    @Override
    public boolean hasNext() {
        for (var failures = 0; next == null && !isClosed(); ) {
            try {
                next = read(reader());
                failures = 0;
            } catch (IOException e) {
                failures++;
                reconnect(Backoff.after(failures));
            } catch (TaskexecException e) {
                if (!e.mayPass()) {
                    throw e;
                }
                failures++;
                reconnect(Backoff.after(failures, e.retryAfter()));
            }
        }
        return next != null;
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void reconnect(Duration pause) {
        disconnect();
        lines = null;
        try {
            closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    @Override
    public Event next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        var event = Objects.requireNonNull(next);
        next = null;
        return event;
    }

    /**
     * Returns the id from which on the stream would go on.
     *
     * @return an id, or an empty text before the first one
     */
    public String lastId() {
        return lastId;
    }

    private BufferedReader reader() throws IOException {
        var open = lines;
        if (open == null) {
            var request = Request.get("events").with(query).waiting(LONGEST);
            if (!lastId.isEmpty()) {
                request.header("Last-Event-ID", lastId);
            }
            var opened = open(request);
            open = new BufferedReader(new InputStreamReader(opened, StandardCharsets.UTF_8));
            lines = open;
            stream = opened;
            heardAt = System.nanoTime();
            inBackground(() -> closeWhenSilent(opened));
            if (isClosed()) {
                disconnect();
            }
        }
        return open;
    }

    /** Waits for an answer on another thread, so that {@link #close} need not wait for it. */
    private InputStream open(Request request) throws IOException {
        var answer = new CompletableFuture<InputStream>();
        opening = answer;
        inBackground(() -> open(request, answer));
        if (isClosed()) {
            answer.cancel(false);
        }
        try {
            return answer.get();
        } catch (CancellationException e) {
            throw new IOException("the stream was closed", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TaskexecException refusal) {
                throw refusal;
            }
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            if (!answer.cancel(false) && !answer.isCompletedExceptionally()) {
                close(answer.join());
            }
            throw Http.interrupted(e);
        }
    }

    private void open(Request request, CompletableFuture<InputStream> answer) {
        try {
            var opened = http.open(request);
            if (!answer.complete(opened)) {
                close(opened);
            }
        } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
        }
    }

    private static void inBackground(Runnable work) {
        var thread = new Thread(work, "taskexec-events");
        thread.setDaemon(true);
        thread.start();
    }

    /** Nothing says that a connection is lost when its other end has gone without a word. */
    private void closeWhenSilent(InputStream opened) {
        try {
            while (opened.equals(stream) && System.nanoTime() - heardAt < silence.toNanos()) {
                Thread.sleep(silence.toMillis() / 10);
            }
            close(opened);
        } catch (InterruptedException e) {
            // The process ends.
            return;
        }
    }

    /** Reads up to the next event that has data. */
    private @Nullable Event read(BufferedReader reader) throws IOException {
        var id = lastId;
        var type = "";
        var data = new StringBuilder();
        for (var line = reader.readLine(); ; line = reader.readLine()) {
            if (line == null) {
                throw new IOException("the stream has ended");
            }
            heardAt = System.nanoTime();
            if (line.isEmpty()) {
                // Not before: an event that was cut off is asked for again.
                lastId = id;
                return data.isEmpty() ? null : new Event(id, type, parse(data.toString()));
            }
            var colon = line.indexOf(':');
            var value = colon < 0 ? "" : line.substring(colon + 1).replaceFirst("^ ", "");
            switch (colon < 0 ? line : line.substring(0, colon)) {
                case "id" -> id = value;
                case "event" -> type = value;
                case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
                default -> {}
            }
        }
    }

    private static JsonNode parse(String data) throws JsonProcessingException {
        return Json.API.readTree(data);
    }

    /** Closes the stream and not its reader, whose lock a thread that waits for a line has. */
    private void disconnect() {
        var open = stream;
        stream = null;
        if (open != null) {
            close(open);
        }
    }

    private static void close(InputStream open) {
        try {
            open.close();
        } catch (IOException e) {
            // It was lost anyway.
            return;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        var answer = opening;
        if (answer != null) {
            answer.cancel(false);
        }
        disconnect();
    }
}
