package io.taskexec.examples.cloudillo.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import io.taskexec.client.Json;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.store.Blobs;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request, and the answer to it. */
final class Call {
    private static final int MAX_JSON = 65_536;

    private final HttpExchange exchange;

    Call(HttpExchange exchange) {
        this.exchange = exchange;
    }

    String method() {
        return exchange.getRequestMethod();
    }

    /** Returns the parts of the path behind {@code /api/}. */
    String[] path() {
        var path = exchange.getRequestURI().getPath();
        return path.substring(Math.min(path.length(), "/api/".length())).split("/", -1);
    }

    String header(String name, String otherwise) {
        var value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? otherwise : value;
    }

    @Nullable
    String parameter(String name) {
        var query = exchange.getRequestURI().getRawQuery();
        if (query != null) {
            for (var part : query.split("&", -1)) {
                if (part.startsWith(name + "=")) {
                    return URLDecoder.decode(part.substring(name.length() + 1), StandardCharsets.UTF_8);
                }
            }
        }
        return null;
    }

    <T> T json(Class<T> type) throws IOException {
        var body = exchange.getRequestBody().readNBytes(MAX_JSON + 1);
        if (body.length > MAX_JSON) {
            throw new Refusal(413, "TOO_LARGE", "The body has more than %d bytes.".formatted(MAX_JSON));
        }
        try {
            var value = Json.data().readValue(body, type);
            if (value == null) {
                throw Refusal.badRequest("The body is null.");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw Refusal.badRequest("The body is malformed: " + e.getOriginalMessage());
        }
    }

    void copyBody(Path file, long maxBytes) throws IOException {
        try {
            Blobs.copy(exchange.getRequestBody(), file, maxBytes);
        } catch (PermanentException e) {
            throw new Refusal(413, "TOO_LARGE", String.valueOf(e.getMessage()));
        }
    }

    void answer(int status, Object value) throws IOException {
        var body = Json.data().writeValueAsBytes(value);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    /** Answers with a file, whose content never changes. A browser must not take it for a page. */
    void answer(Path file) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Type", "application/octet-stream");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "public, max-age=31536000, immutable");
        exchange.sendResponseHeaders(200, Files.size(file));
        Files.copy(file, exchange.getResponseBody());
    }

    void answer(int status, String code, @Nullable String message) throws IOException {
        answer(status, Map.of("error", Map.of("code", code, "message", String.valueOf(message))));
    }
}
