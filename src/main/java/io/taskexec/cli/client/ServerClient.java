package io.taskexec.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Speaks to the API of a server. */
public final class ServerClient implements AutoCloseable {
    private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int NO_CONTENT = 204;
    private static final int FIRST_ERROR = 300;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY = 429;
    private static final int MOST_TRIES = 10;

    private final URI base;
    private final String token;
    private final HttpClient http;

    ServerClient(URI base, String token) {
        this.base = base;
        this.token = token;
        var builder = HttpClient.newBuilder().connectTimeout(CONNECT_BOUND).version(HttpClient.Version.HTTP_1_1);
        this.http = base.getScheme().equals("http")
                ? builder.sslContext(trustingNone()).build()
                : builder.build();
    }

    /** Reading all certificates that a JDK brings takes longer than a request, and without TLS none of them is looked at. */
    private static SSLContext trustingNone() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    /**
     * What the server says.
     *
     * @param tag the entity tag of what is shown
     */
    public record Answer(
            int status, JsonNode body, @Nullable String tag) {}

    /** Where the API is. */
    public URI base() {
        return base;
    }

    /** What is at a path, which must be there. */
    public JsonNode get(String path) throws RefusedException, IOException, InterruptedException {
        return send(request(path).GET()).body();
    }

    /** What is at a path; null when there is nothing. */
    public @Nullable Answer find(String path) throws RefusedException, IOException, InterruptedException {
        try {
            return send(request(path).GET());
        } catch (RefusedException e) {
            if (e.status() == NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** Posts JSON. */
    public JsonNode post(String path, JsonNode body) throws RefusedException, IOException, InterruptedException {
        return send(json(path).POST(BodyPublishers.ofString(Json.write(body)))).body();
    }

    /** Posts nothing but the path. */
    public JsonNode post(String path) throws RefusedException, IOException, InterruptedException {
        return send(request(path).POST(BodyPublishers.noBody())).body();
    }

    /** Puts JSON in the place of what has this entity tag, or of whatever is there when there is none. */
    public JsonNode put(String path, JsonNode body, @Nullable String tag)
            throws RefusedException, IOException, InterruptedException {
        var request = json(path).PUT(BodyPublishers.ofString(Json.write(body)));
        return send(tag == null ? request : request.header("If-Match", tag)).body();
    }

    /** Changes some fields of what is at a path. */
    public JsonNode patch(String path, JsonNode patch) throws RefusedException, IOException, InterruptedException {
        return send(request(path)
                        .header("Content-Type", "application/merge-patch+json")
                        .method("PATCH", BodyPublishers.ofString(Json.write(patch))))
                .body();
    }

    /** Deletes what is at a path. */
    public void delete(String path) throws RefusedException, IOException, InterruptedException {
        var _ = send(request(path).DELETE());
    }

    /**
     * The server-sent events at a path, which go on until somebody closes them. What has a bound is the time until they
     * begin: of a body that is read as it comes, the client of the JDK waits for the head alone.
     */
    public InputStream follow(String path, @Nullable String lastEventId)
            throws RefusedException, IOException, InterruptedException {
        var request = request(path).header("Accept", "text/event-stream").GET();
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        try {
            var response = http.send(request.build(), BodyHandlers.ofInputStream());
            if (response.statusCode() >= FIRST_ERROR) {
                try (var body = response.body()) {
                    throw refusal(
                            response.statusCode(), Json.parse(new String(body.readAllBytes(), StandardCharsets.UTF_8)));
                }
            }
            return response.body();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .header("Authorization", "Bearer " + token)
                .timeout(BOUND);
    }

    private HttpRequest.Builder json(String path) {
        return request(path).header("Content-Type", "application/json");
    }

    private Answer send(HttpRequest.Builder request) throws RefusedException, IOException, InterruptedException {
        try {
            var response = sendInTurn(request.build());
            var status = response.statusCode();
            var body = status == NO_CONTENT ? Json.parse("{}") : Json.parse(response.body());
            if (status >= FIRST_ERROR) {
                throw refusal(status, body);
            }
            return new Answer(
                    status, body, response.headers().firstValue("ETag").orElse(null));
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private static IOException explained(IOException e) {
        return switch (e) {
            case JsonProcessingException _ -> new IOException("it is not JSON, so that it is probably no taskexec", e);
            case HttpTimeoutException _ -> new IOException("it takes too long", e);
            case ConnectException _ -> new IOException("no connection can be made", e);
            default -> e.getMessage() != null ? e : new IOException("the connection is lost", e.getCause());
        };
    }

    /** What is refused for coming too fast has not been done, and is asked for again. */
    private HttpResponse<String> sendInTurn(HttpRequest request) throws IOException, InterruptedException {
        var response = http.send(request, BodyHandlers.ofString());
        for (var tries = 1; response.statusCode() == TOO_MANY && tries < MOST_TRIES; tries++) {
            Thread.sleep(Duration.ofSeconds(1));
            response = http.send(request, BodyHandlers.ofString());
        }
        return response;
    }

    private static RefusedException refusal(int status, JsonNode body) {
        return RefusedException.of(status, body.path("error"));
    }

    @Override
    public void close() {
        http.close();
    }
}
