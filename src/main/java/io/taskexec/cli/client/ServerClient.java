package io.taskexec.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Sends requests to the API of a server. */
public final class ServerClient implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;
    private static final int FIRST_ERROR = 300;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int MAX_TRIES = 10;

    private final URI base;
    private final String token;
    private final HttpClient http;

    ServerClient(URI base, String token) {
        this.base = base;
        this.token = token;
        var builder = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).version(HttpClient.Version.HTTP_1_1);
        this.http = base.getScheme().equals("http")
                ? builder.sslContext(emptyTrust()).build()
                : builder.build();
    }

    /** Loading the JDK's certificates takes longer than a request, and plain HTTP needs none of them. */
    private static SSLContext emptyTrust() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    /**
     * The body of a response.
     *
     * @param tag the entity tag of the resource in it
     * @param isCreated whether the request has created that resource
     */
    public record Response(JsonNode body, @Nullable String tag, boolean isCreated) {
        /** Returns one with a resource that existed. */
        public Response(JsonNode body, @Nullable String tag) {
            this(body, tag, false);
        }
    }

    public URI base() {
        return base;
    }

    /** Reads a resource that must exist. */
    public JsonNode get(String path) throws IOException, InterruptedException {
        return read(path).body();
    }

    /** The same, with its entity tag. */
    public Response read(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /** Reads a resource; null when it does not exist. */
    public @Nullable Response find(String path) throws IOException, InterruptedException {
        try {
            return send(request(path).GET());
        } catch (RefusedException e) {
            if (e.status() == NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    public JsonNode post(String path, JsonNode body) throws IOException, InterruptedException {
        return create(path, body).body();
    }

    /** The same, where the answer may take longer. */
    public JsonNode post(String path, JsonNode body, Duration timeout) throws IOException, InterruptedException {
        return send(json(path).timeout(timeout).POST(BodyPublishers.ofString(Json.write(body))))
                .body();
    }

    /** Creates a resource, unless the request is about one that exists. */
    public Response create(String path, JsonNode body) throws IOException, InterruptedException {
        return send(json(path).POST(BodyPublishers.ofString(Json.write(body))));
    }

    /** Posts an empty body. */
    public JsonNode post(String path) throws IOException, InterruptedException {
        return send(request(path).POST(BodyPublishers.noBody())).body();
    }

    /** Replaces a resource, with an entity tag only if it has not changed since. */
    public JsonNode put(String path, JsonNode body, @Nullable String tag) throws IOException, InterruptedException {
        var request = json(path).PUT(BodyPublishers.ofString(Json.write(body)));
        return send(tag == null ? request : request.header("If-Match", tag)).body();
    }

    /** Sends a JSON Merge Patch. */
    public JsonNode patch(String path, JsonNode patch) throws IOException, InterruptedException {
        return patch(path, patch, null);
    }

    /** The same, with an entity tag only if the resource has not changed since. */
    public JsonNode patch(String path, JsonNode patch, @Nullable String tag) throws IOException, InterruptedException {
        var request = request(path)
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(Json.write(patch)));
        return send(tag == null ? request : request.header("If-Match", tag)).body();
    }

    /** Deletes a resource. */
    public JsonNode delete(String path) throws IOException, InterruptedException {
        return send(request(path).DELETE()).body();
    }

    /**
     * Opens a stream of server-sent events. Only the time to the response headers has a limit; the stream ends when
     * it is closed.
     */
    public InputStream follow(String path, @Nullable String lastEventId) throws IOException, InterruptedException {
        var request = request(path).header("Accept", "text/event-stream").GET();
        if (lastEventId != null) {
            request.header("Last-Event-ID", lastEventId);
        }
        try {
            var response = exchange(request.build(), ServerClient::followed);
            if (response.statusCode() >= FIRST_ERROR) {
                try (var body = response.body()) {
                    throw refusal(
                            response.statusCode(),
                            Json.parseAnswer(new String(body.readAllBytes(), StandardCharsets.UTF_8)));
                }
            }
            return response.body();
        } catch (IOException e) {
            throw describe(e);
        }
    }

    /** Leaves the body open, unless it is that of an error, which is then read in the time of the request. */
    private static BodySubscriber<InputStream> followed(ResponseInfo answer) {
        return answer.statusCode() < FIRST_ERROR
                ? BodySubscribers.ofInputStream()
                : BodySubscribers.mapping(BodySubscribers.ofByteArray(), ByteArrayInputStream::new);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .header("Authorization", "Bearer " + token)
                .timeout(TIMEOUT);
    }

    private HttpRequest.Builder json(String path) {
        return request(path).header("Content-Type", "application/json");
    }

    private Response send(HttpRequest.Builder request) throws IOException, InterruptedException {
        try {
            var response = sendWithRetry(request.build());
            var status = response.statusCode();
            var body = status == NO_CONTENT ? Json.parse("{}") : Json.parseAnswer(response.body());
            if (status >= FIRST_ERROR) {
                throw refusal(status, body);
            }
            return new Response(body, response.headers().firstValue("ETag").orElse(null), status == CREATED);
        } catch (IOException e) {
            throw describe(e);
        }
    }

    private static IOException describe(IOException e) {
        return switch (e) {
            case RefusedException _ -> e;
            case JsonProcessingException _ ->
                new IOException("the answer is not JSON; this is probably not taskexec", e);
            case HttpTimeoutException _ -> new IOException("the request timed out", e);
            case ConnectException _ -> new IOException("cannot connect", e);
            default -> e.getMessage() != null ? e : new IOException("the connection was lost", e);
        };
    }

    /** A request that was rate limited had no effect, and is repeated. */
    private HttpResponse<String> sendWithRetry(HttpRequest request) throws IOException, InterruptedException {
        var response = exchange(request, BodyHandlers.ofString());
        for (var tries = 1; response.statusCode() == TOO_MANY_REQUESTS && tries < MAX_TRIES; tries++) {
            Thread.sleep(Duration.ofSeconds(1));
            response = exchange(request, BodyHandlers.ofString());
        }
        return response;
    }

    // The timeout of a request ends with the headers of its answer (JDK-8208693), which may stand still after them.
    private <B> HttpResponse<B> exchange(HttpRequest request, BodyHandler<B> handler)
            throws IOException, InterruptedException {
        var answer = http.sendAsync(request, handler);
        try {
            return answer.get(request.timeout().orElse(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (TimeoutException _) {
            throw new HttpTimeoutException("the answer did not come to its end in time");
        } finally {
            answer.cancel(true);
        }
    }

    private static RefusedException refusal(int status, JsonNode body) {
        return RefusedException.of(status, body.path("error"));
    }

    @Override
    public void close() {
        http.close();
    }
}
