package io.taskexec.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;

/** Speaks to the API of a server. */
final class ServerClient implements AutoCloseable {
    private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int NO_CONTENT = 204;
    private static final int FIRST_ERROR = 300;

    private final URI base;
    private final String token;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECT_BOUND)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    ServerClient(URI base, String token) {
        this.base = base;
        this.token = token;
    }

    /** The server does not do what it is asked; the message is its reason. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String reason) {
            super(reason, null, false, false);
        }
    }

    JsonNode get(String path) throws RefusedException, IOException, InterruptedException {
        return send(request(path).GET());
    }

    JsonNode post(String path, JsonNode body) throws RefusedException, IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(Json.write(body))));
    }

    void delete(String path) throws RefusedException, IOException, InterruptedException {
        var _ = send(request(path).DELETE());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .timeout(BOUND)
                .header("Authorization", "Bearer " + token);
    }

    private JsonNode send(HttpRequest.Builder request) throws RefusedException, IOException, InterruptedException {
        try {
            var response = http.send(request.build(), BodyHandlers.ofString());
            var status = response.statusCode();
            var body = status == NO_CONTENT ? Json.parse("{}") : Json.parse(response.body());
            if (status >= FIRST_ERROR) {
                throw new RefusedException(reason(status, body));
            }
            return body;
        } catch (JsonProcessingException e) {
            throw new IOException("it is not JSON, so that it is probably no taskexec", e);
        } catch (HttpTimeoutException e) {
            throw new IOException("it takes too long", e);
        } catch (ConnectException e) {
            throw new IOException("no connection can be made", e);
        }
    }

    private static String reason(int status, JsonNode body) {
        var error = body.path("error");
        return error.path("message").asText("it answers with status") + " ("
                + error.path("code").asText(String.valueOf(status)) + ")";
    }

    @Override
    public void close() {
        http.close();
    }
}
