package io.taskexec.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.taskexec.client.model.Page;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests with the API key. It repeats those that the server had no time for (429, 503), as {@code Retry-After}
 * says, and those without an answer, at another server if there are several. Use it for what the rest of this client
 * has no method or field for.
 */
public final class Http {
    static final Set<Integer> BUSY = Set.of(502, 503, 504);
    static final int TOO_MANY_REQUESTS = 429;
    static final int SERVER_ERROR = 500;
    private static final int REDIRECT = 300;
    private static final int NOT_FOUND = 404;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Connection connection;
    private final Duration patience;
    private final Map<String, String> headers;
    private final Query onWrites;

    private Http(Connection connection, Duration patience, Map<String, String> headers, Query onWrites) {
        this.connection = connection;
        this.patience = patience;
        this.headers = Map.copyOf(headers);
        this.onWrites = onWrites;
    }

    /**
     * A way to the servers.
     *
     * @param timeout of a request, beside the time that the server waits before it answers
     */
    private record Connection(
            HttpClient client, ExecutorService threads, Servers servers, String key, Duration timeout) {}

    /**
     * An answer.
     *
     * @param status of at most 299
     * @param headers of its first line on
     * @param body missing when there was no body
     */
    public record Answer(int status, java.net.http.HttpHeaders headers, JsonNode body) {}

    static Http connect(List<String> addresses, String key, Duration patience) {
        // Threads of its own, so that nothing that computes in this process keeps an answer waiting.
        var threads = Executors.newCachedThreadPool(run -> {
            var thread = new Thread(run, "taskexec-http");
            thread.setDaemon(true);
            return thread;
        });
        var client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                .executor(threads)
                .build();
        return new Http(
                new Connection(client, threads, new Servers(addresses), key, TIMEOUT), patience, Map.of(), Query.all());
    }

    /**
     * Returns a sender that goes on trying for another time.
     *
     * @param time zero to try once; requests that wait at the server have so much more
     * @return a new one on the same connections
     */
    public Http withPatience(Duration time) {
        return new Http(connection, time, headers, onWrites);
    }

    /**
     * Returns a sender that waits another time for each answer.
     *
     * @param time 30 seconds otherwise; requests that wait at the server have so much more
     * @return a new one on the same connections
     */
    public Http withTimeout(Duration time) {
        var way =
                new Connection(connection.client(), connection.threads(), connection.servers(), connection.key(), time);
        return new Http(way, patience, headers, onWrites);
    }

    Http withHeader(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Http(connection, patience, more, onWrites);
    }

    Http onWrites(Query parameters) {
        return new Http(connection, patience, headers, onWrites.and(parameters));
    }

    /**
     * Sends a request.
     *
     * @param request what to send
     * @param type what the answer becomes; {@link JsonNode} leaves it as it is
     * @param <T> the same
     * @return the answer
     * @throws TaskexecException when it was refused or there is no answer
     */
    public <T> T send(Request request, Class<T> type) {
        return read(exchange(request).body(), type);
    }

    /**
     * Sends a request whose answer has no body.
     *
     * @param request what to send
     * @throws TaskexecException when it was refused or there is no answer
     */
    public void send(Request request) {
        try {
            exchange(request);
        } catch (TaskexecException e) {
            // What an earlier try without an answer has deleted is gone, as it should be.
            if (e.status() != NOT_FOUND || !e.mayBeDone() || !"DELETE".equals(request.method())) {
                throw e;
            }
        }
    }

    /**
     * Reads a list, page by page.
     *
     * @param request of its first page
     * @param type what its items become
     * @param <T> the same
     * @return the list; nothing is sent before it is looked at
     */
    public <T> Listing<T> list(Request request, Class<T> type) {
        return new Listing<>(cursor -> {
            var page = cursor == null ? request : request.withCursor(cursor);
            return readPage(exchange(page).body(), type);
        });
    }

    private static <T> Page<T> readPage(JsonNode body, Class<T> type) {
        var items = new ArrayList<T>();
        body.path("items").forEach(item -> items.add(read(item, type)));
        return new Page<>(items, body.path("cursor").textValue());
    }

    /**
     * Sends a request, and returns all of the answer.
     *
     * @param request what to send
     * @return the answer
     * @throws TaskexecException when it was refused or there is no answer
     */
    public Answer exchange(Request request) {
        var timeout = connection.timeout().plus(request.waiting());
        // Patience does not run while the server waits as it was asked to.
        var time = patience.isZero() ? Duration.ZERO : patience.plus(request.waiting());
        var response = repeat(request, BodyHandlers.ofByteArray(), time, timeout);
        return new Answer(response.statusCode(), response.headers(), tree(response.body()));
    }

    /** Sends a request, once, whose answer begins soon and does not end soon. The caller closes it. */
    InputStream open(Request request) {
        return repeat(request, Http::opened, Duration.ZERO, connection.timeout())
                .body();
    }

    /** Leaves the body to the caller, unless it is that of an error, which is then read in the time of the request. */
    private static BodySubscriber<InputStream> opened(ResponseInfo answer) {
        return answer.statusCode() < REDIRECT
                ? BodySubscribers.ofInputStream()
                : BodySubscribers.mapping(BodySubscribers.ofByteArray(), ByteArrayInputStream::new);
    }

    private <B> HttpResponse<B> repeat(Request request, BodyHandler<B> handler, Duration patience, Duration timeout) {
        var deadline = System.nanoTime() + patience.toNanos();
        var mayBeDone = false;
        var content = content(request.body());
        var servers = connection.servers();
        for (var tries = 1; ; tries++) {
            var server = servers.current();
            TaskexecException failure;
            boolean mayRepeat;
            try {
                var response = send(build(server, request, content), handler, timeout);
                if (response.statusCode() < REDIRECT) {
                    return response;
                }
                var isBusy = BUSY.contains(response.statusCode());
                if (isBusy) {
                    servers.leave(server);
                }
                // The server may have lost the answer of its database.
                mayBeDone |= response.statusCode() >= SERVER_ERROR;
                failure = new TaskexecException(Refusals.read(response));
                mayRepeat = response.statusCode() == TOO_MANY_REQUESTS || (isBusy && request.isRepeatable());
            } catch (IOException e) {
                servers.leave(server);
                failure = new TaskexecException(TaskexecException.CONNECTION_FAILED, server + ": " + e, e);
                mayBeDone |= !wasNotSent(e);
                mayRepeat = request.isRepeatable() || wasNotSent(e);
            } catch (InterruptedException e) {
                throw interrupted(e).mayBeDone(true);
            }
            var pause = longer(Backoff.after(tries), failure.retryAfter());
            if (!mayRepeat || System.nanoTime() + pause.toNanos() - deadline > 0) {
                throw failure.mayBeDone(mayBeDone);
            }
            sleep(pause, mayBeDone);
        }
    }

    // The timeout of a request ends with the headers of its answer (JDK-8208693), which may stand still after them. An
    // answer to sendAsync would come by the common pool, in which others may compute.
    private <B> HttpResponse<B> send(HttpRequest request, BodyHandler<B> handler, Duration timeout)
            throws IOException, InterruptedException {
        var answer = connection.threads().submit(() -> connection.client().send(request, handler));
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("the answer did not come to its end in time");
        } finally {
            answer.cancel(true);
        }
    }

    private static boolean wasNotSent(IOException failure) {
        return failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
    }

    private static Duration longer(Duration one, @Nullable Duration other) {
        return other != null && other.compareTo(one) > 0 ? other : one;
    }

    private static void sleep(Duration time, boolean mayBeDone) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw interrupted(e).mayBeDone(mayBeDone);
        }
    }

    static TaskexecException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new TaskexecException(TaskexecException.INTERRUPTED, "The thread was interrupted.", cause);
    }

    private HttpRequest build(String server, Request request, byte[] content) {
        var isWrite = !"GET".equals(request.method()) && !"HEAD".equals(request.method());
        var query = isWrite ? request.query().and(onWrites) : request.query();
        var builder = HttpRequest.newBuilder(URI.create(server + request.path() + query.encoded()))
                .timeout(connection.timeout().plus(request.waiting()))
                .header("Authorization", "Bearer " + connection.key())
                .method(
                        request.method(),
                        request.body() == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(content));
        if (request.body() != null) {
            builder.header("Content-Type", "application/json");
        }
        headers.forEach(builder::setHeader);
        request.headers().forEach(builder::setHeader);
        return builder.build();
    }

    private static byte[] content(@Nullable Object body) {
        try {
            return body == null ? new byte[0] : Json.API.writeValueAsBytes(body);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("The body cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static JsonNode tree(byte[] content) {
        if (content.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return Json.API.readTree(content);
        } catch (IOException e) {
            var start = new String(content, 0, Math.min(content.length, 200), StandardCharsets.UTF_8);
            throw new TaskexecException(TaskexecException.CONNECTION_FAILED, "The answer is no JSON: " + start, e)
                    .mayBeDone(true);
        }
    }

    private static <T> T read(JsonNode node, Class<T> type) {
        if (type == JsonNode.class) {
            return type.cast(node);
        }
        try {
            return Json.API.treeToValue(node, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("The answer cannot be read as " + type.getSimpleName(), e);
        }
    }
}
