package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.HostClock;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Creates a job every few milliseconds, whatever became of the ones before, and remembers each answer. */
final class SteadyClient implements AutoCloseable {
    private static final int EVERY_MS = 25;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Api api;
    private final String name;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Queue<CompletableFuture<?>> sent = new ConcurrentLinkedQueue<>();
    private final Queue<Reply> replies = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    /**
     * The reply to a request.
     *
     * @param status 0 when there was no answer
     */
    record Reply(String key, int status, String retryAfter, Duration took) {}

    SteadyClient(Api api, String name) {
        this.api = api;
        this.name = name;
        var _ = clock.scheduleAtFixedRate(this::send, 0, EVERY_MS, TimeUnit.MILLISECONDS);
    }

    private void send() {
        var key = name + "-" + count.incrementAndGet();
        var begin = HostClock.nanos();
        sent.add(http.sendAsync(request(key), HttpResponse.BodyHandlers.ofString())
                .handle((response, failure) -> replies.add(new Reply(
                        key,
                        failure == null ? response.statusCode() : 0,
                        failure == null
                                ? response.headers().firstValue("Retry-After").orElse("")
                                : failure.toString(),
                        HostClock.since(begin)))));
    }

    private HttpRequest request(String key) {
        var body = """
                {"endpoint": "steady", "trigger": "IMMEDIATE", "idempotency_key": "%s", "input": {"n": "%s"}}
                """.formatted(key, key);
        return HttpRequest.newBuilder(api.uri("/jobs"))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + api.key())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    /** How many answers had this status so far. */
    long count(int status) {
        return replies.stream().filter(reply -> reply.status() == status).count();
    }

    /** Sends no more, waits for the last answers and gives all of them. */
    List<Reply> stop() throws InterruptedException {
        clock.shutdown();
        assertThat(clock.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        sent.forEach(CompletableFuture::join);
        return List.copyOf(replies);
    }

    /** How often each status was answered. */
    Map<Integer, Long> statuses() {
        return replies.stream().collect(Collectors.groupingBy(Reply::status, TreeMap::new, Collectors.counting()));
    }

    @Override
    public void close() {
        clock.shutdownNow();
        http.close();
    }
}
