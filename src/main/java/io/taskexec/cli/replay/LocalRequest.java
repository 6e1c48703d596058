package io.taskexec.cli.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The request of an execution, to another address and with local secrets.
 *
 * @param headers of the endpoint, in their order
 * @param body JSON; null for no body
 * @param missing the names of secrets without a local value, whose placeholders are sent
 */
public record LocalRequest(
        String method,
        URI uri,
        Map<String, String> headers,
        @Nullable String body,
        Duration timeout,
        Set<String> missing) {
    /** Scheme and authority, or a mark in their place. */
    private static final Pattern ORIGIN = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*");

    /**
     * Puts local values into a request.
     *
     * @param request the answer of the API
     * @param base to which path and query are appended
     * @param secrets local values by name
     * @throws IllegalArgumentException when no URL comes out; the message is a sentence
     */
    public static LocalRequest of(JsonNode request, URI base, Map<String, String> secrets) {
        var marks = new LinkedHashMap<String, String>();
        var missing = new TreeSet<String>();
        request.path("secrets").properties().forEach(mark -> {
            var name = mark.getValue().asText();
            var value = secrets.get(name);
            marks.put(mark.getKey(), value == null ? placeholder(name) : value);
        });
        var text = request.toString();
        request.path("secrets").properties().forEach(mark -> {
            // The mark stands once in the map of marks itself.
            var isUsed = text.indexOf(mark.getKey()) != text.lastIndexOf(mark.getKey());
            if (isUsed && !secrets.containsKey(mark.getValue().asText())) {
                missing.add(mark.getValue().asText());
            }
        });
        var headers = new LinkedHashMap<String, String>();
        request.path("headers")
                .properties()
                .forEach(header ->
                        headers.put(header.getKey(), filled(header.getValue().asText(), marks)));
        return new LocalRequest(
                request.path("method").asText(),
                uri(request, base, marks, secrets),
                headers,
                body(request.path("body").textValue(), marks),
                Duration.ofMillis(Math.max(1, request.path("timeout_ms").asLong())),
                missing);
    }

    private static String placeholder(String name) {
        return "{{secret." + name + "}}";
    }

    private static String filled(String text, Map<String, String> marks) {
        var filled = text;
        for (var mark : marks.entrySet()) {
            filled = filled.replace(mark.getKey(), mark.getValue());
        }
        return filled;
    }

    private static @Nullable String body(@Nullable String body, Map<String, String> marks) {
        try {
            return body == null ? null : Json.write(Json.mapTexts(Json.parseAnswer(body), text -> filled(text, marks)));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("The body of the request is not JSON.", e);
        }
    }

    private static URI uri(JsonNode request, URI base, Map<String, String> marks, Map<String, String> secrets) {
        var url = request.path("url").asText();
        for (var mark : marks.entrySet()) {
            var isKnown = secrets.containsKey(
                    request.path("secrets").path(mark.getKey()).asText());
            if (!isKnown && url.startsWith(mark.getKey())) {
                throw new IllegalArgumentException("The URL begins with the secret "
                        + request.path("secrets").path(mark.getKey()).asText()
                        + ", so its path is not known without a local value.");
            }
            url = url.replace(
                    mark.getKey(),
                    isKnown ? mark.getValue() : URLEncoder.encode(mark.getValue(), StandardCharsets.UTF_8));
        }
        var origin = ORIGIN.matcher(url);
        if (!origin.lookingAt()) {
            throw new IllegalArgumentException("The URL of the request is not absolute.");
        }
        try {
            var path = url.substring(origin.end()).replaceFirst("#.*", "");
            return URI.create(base.toString().replaceFirst("/+$", "") + (path.startsWith("/") ? path : "/" + path));
        } catch (IllegalArgumentException _) {
            // The message would quote the URL, which may have a secret.
            throw new IllegalArgumentException("The URL of the request is malformed with the local secrets.");
        }
    }

    /**
     * Sends it, and waits for the response.
     *
     * @param all headers
     * @param redact removes secrets from what comes back
     */
    public ReplayResponse send(Map<String, String> all, UnaryOperator<String> redact) throws InterruptedException {
        try (var http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .build()) {
            var builder = HttpRequest.newBuilder(uri)
                    .timeout(timeout)
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            all.forEach(builder::header);
            var response = http.send(builder.build(), BodyHandlers.ofInputStream());
            try (var stream = response.body()) {
                var bytes = stream.readNBytes(ReplayResponse.MAX_BYTES + 1);
                var kept = Math.min(bytes.length, ReplayResponse.MAX_BYTES);
                return new ReplayResponse(
                        response.statusCode(),
                        redact.apply(new String(bytes, 0, kept, StandardCharsets.UTF_8)),
                        bytes.length > kept,
                        "");
            }
        } catch (IOException e) {
            return ReplayResponse.none(e.getMessage() == null ? "cannot connect" : redact.apply(e.getMessage()));
        } catch (IllegalArgumentException _) {
            // The message would quote a header, which may have a secret.
            return ReplayResponse.none("a header cannot be sent with the local secrets");
        }
    }
}
