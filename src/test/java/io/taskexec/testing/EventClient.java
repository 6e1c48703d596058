package io.taskexec.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Follows server-sent events as a browser would, but does not resume by itself. */
public final class EventClient implements AutoCloseable {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Event> events = new ArrayList<>();
    private final HttpResponse<Stream<String>> response;
    private String lastId = "";
    private boolean ended;

    /** An event as it came. */
    public record Event(String id, String type, JsonNode data) {}

    /** Returns when the answer has begun. */
    public EventClient(URI uri, Map<String, String> headers) throws InterruptedException {
        var request = HttpRequest.newBuilder(uri).header("Accept", "text/event-stream");
        headers.forEach(request::header);
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (response.statusCode() == 200) {
            var _ = Thread.ofVirtual().start(this::read);
        }
    }

    /** Follows the events of a program. */
    public static EventClient of(Api api, String query, Map<String, String> headers) throws InterruptedException {
        var all = new HashMap<>(headers);
        all.put("Authorization", "Bearer " + api.key());
        return new EventClient(api.uri("/events" + query), all);
    }

    private void read() {
        try (var lines = response.body()) {
            var block = new ArrayList<String>();
            lines.forEach(line -> {
                if (line.isEmpty()) {
                    take(List.copyOf(block));
                    block.clear();
                } else {
                    block.add(line);
                }
            });
        } catch (UncheckedIOException _) {
            // The connection was lost, as some tests want it.
        } finally {
            end();
        }
    }

    private synchronized void end() {
        ended = true;
    }

    private synchronized void take(List<String> block) {
        var id = field(block, "id");
        lastId = id.isEmpty() ? lastId : id;
        var data = field(block, "data");
        if (!data.isEmpty()) {
            events.add(new Event(id, field(block, "event"), json(data)));
        }
    }

    private static String field(List<String> block, String name) {
        return block.stream()
                .filter(line -> line.startsWith(name + ": "))
                .map(line -> line.substring(name.length() + 2))
                .findFirst()
                .orElse("");
    }

    private static JsonNode json(String text) {
        try {
            return Json.parse(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    public int status() {
        return response.statusCode();
    }

    public String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** What an answer says that is no stream. */
    public String body() {
        return String.join("\n", response.body().toList());
    }

    /** What a browser would send as {@code Last-Event-ID}. */
    public synchronized String lastId() {
        return lastId;
    }

    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** The last words of the types of what has come. */
    public List<String> types() {
        return events().stream()
                .map(event -> event.type().replaceFirst(".*\\.", ""))
                .toList();
    }

    public synchronized boolean hasEnded() {
        return ended;
    }

    /** Waits until so many events have come, and gives all that have. */
    public List<Event> await(int count) throws InterruptedException {
        return Eventually.await(count + " events", Duration.ofSeconds(20), this::events, seen -> seen.size() >= count);
    }

    /** Drops the connection. */
    public void disconnect() {
        http.shutdownNow();
    }

    @Override
    public void close() {
        disconnect();
    }
}
