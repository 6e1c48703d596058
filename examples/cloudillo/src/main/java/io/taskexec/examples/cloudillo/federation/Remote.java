package io.taskexec.examples.cloudillo.federation;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.client.Json;
import io.taskexec.client.worker.PermanentException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests to other instances. A status 4xx, or a redirect, is a {@link PermanentException}. A status 5xx, a connection
 * that fails and an answer that takes too long are an {@link IOException}, after which the task is tried again.
 */
public final class Remote {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration SHORT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final long MAX_ANSWER = 65_536;

    /** Redirects would lead to hosts that the permissions know nothing of. */
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    private final Hosts hosts;

    /** Makes it. */
    public Remote(Hosts hosts) {
        this.hosts = hosts;
    }

    /** The public keys of an instance. */
    record Keys(@Nullable List<Jwk> keys) {}

    /** Reads the public keys of an identity. */
    List<Jwk> keys(String identity) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(hosts.resolve(identity, "/api/me/keys"));
        try {
            var keys = Untrusted.MAPPER
                    .readValue(send(request, identity), Keys.class)
                    .keys();
            if (keys != null) {
                return keys;
            }
        } catch (JsonProcessingException e) {
            throw new PermanentException("The keys of %s are malformed.".formatted(identity), "MALFORMED_KEYS", e);
        }
        throw new PermanentException("%s has no keys.".formatted(identity), "MALFORMED_KEYS", null);
    }

    /** Hands a token to the inbox of an identity. */
    public void deliver(String identity, String token) throws IOException, InterruptedException {
        send(
                HttpRequest.newBuilder(hosts.resolve(identity, "/api/inbox"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofByteArray(Json.data().writeValueAsBytes(Map.of("token", token)))),
                identity);
    }

    /** Reads a file of an identity into one that exists. */
    public void fetch(String identity, String fileId, Path file, long maxBytes)
            throws IOException, InterruptedException {
        try (var out = Files.newOutputStream(file)) {
            send(
                    HttpRequest.newBuilder(hosts.resolve(identity, "/api/files/" + fileId)),
                    identity,
                    LONG,
                    out,
                    maxBytes);
        }
    }

    private byte[] send(HttpRequest.Builder request, String identity) throws IOException, InterruptedException {
        var answer = new ByteArrayOutputStream();
        send(request, identity, SHORT, answer, MAX_ANSWER);
        return answer.toByteArray();
    }

    /** The time is that of the whole answer: the client's own one ends with the headers. */
    private void send(HttpRequest.Builder request, String identity, Duration time, OutputStream out, long maxBytes)
            throws IOException, InterruptedException {
        var answer = client.sendAsync(
                request.build(), info -> new BoundedBody(info.statusCode() / 100 == 2 ? maxBytes : 0, out));
        try {
            check(answer.get(time.toMillis(), TimeUnit.MILLISECONDS).statusCode(), identity);
        } catch (TimeoutException e) {
            throw new IOException("%s has not answered within %s.".formatted(identity, time), e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PermanentException permanent) {
                throw permanent;
            }
            throw new IOException("%s cannot be reached: %s".formatted(identity, e.getCause()), e);
        } finally {
            answer.cancel(true);
        }
    }

    /** Sorts the statuses into success, failures for now, and failures for all time. */
    static void check(int status, String identity) throws IOException {
        if (status >= 500) {
            throw new IOException("%s has answered with %d.".formatted(identity, status));
        }
        if (status / 100 != 2) {
            throw new PermanentException("%s has answered with %d.".formatted(identity, status), "REFUSED", null);
        }
    }
}
