package io.taskexec.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** A client that creates jobs steadily and sends each to one API after the other until it is accepted. */
final class Mix implements AutoCloseable {
    private static final int PER_SECOND = 40;
    private static final int LATEST_SEC = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(60);
    private static final int CREATED = 201;
    private static final int EXISTS = 200;

    private final Fleet fleet;
    private final Random random;
    private final List<Traffic> round;
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient http = HttpClient.newHttpClient();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger sent = new AtomicInteger();
    private final Map<String, Traffic> accepted = new ConcurrentHashMap<>();
    private final Map<Integer, AtomicInteger> answers = new ConcurrentHashMap<>();
    private final AtomicReference<Instant> newestAccepted = new AtomicReference<>(Instant.MIN);

    Mix(Fleet fleet, long seed) {
        this.fleet = fleet;
        this.random = new Random(seed);
        this.round = Stream.of(Traffic.values())
                .flatMap(traffic -> Stream.generate(() -> traffic).limit(traffic.share()))
                .toList();
        var _ = clock.scheduleAtFixedRate(
                this::next, 0, TimeUnit.SECONDS.toMicros(1) / PER_SECOND, TimeUnit.MICROSECONDS);
    }

    private void next() {
        var number = sent.incrementAndGet();
        var traffic = round.get(random.nextInt(round.size()));
        var key = traffic.endpoint() + "-" + number;
        send(new Job(key, traffic, body(key, traffic), Instant.now()), number);
    }

    private record Job(String key, Traffic traffic, String body, Instant createdAt) {}

    private String body(String key, Traffic traffic) {
        var job = new HashMap<String, Object>(Api.immediateJob(traffic.endpoint(), key));
        if (traffic == Traffic.DELAYED) {
            job.put("trigger", "DELAYED");
            job.put("delay", "PT%dS".formatted(random.nextInt(1, LATEST_SEC + 1)));
        }
        try {
            return json.writeValueAsString(job);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param turn decides who is asked */
    private void send(Job job, int turn) {
        var _ = http.sendAsync(request(job, fleet.api(turn)), HttpResponse.BodyHandlers.discarding())
                .handle((response, failure) -> failure == null ? response.statusCode() : 0)
                .thenAccept(status -> {
                    var _ = answers.computeIfAbsent(status, _ -> new AtomicInteger())
                            .incrementAndGet();
                    if (status == CREATED || status == EXISTS) {
                        accepted.put(job.key(), job.traffic());
                        var _ = newestAccepted.accumulateAndGet(
                                job.createdAt(), (one, other) -> one.isAfter(other) ? one : other);
                    } else if (!http.isTerminated()) {
                        CompletableFuture.delayedExecutor(BETWEEN_TRIES.toMillis(), TimeUnit.MILLISECONDS)
                                .execute(() -> send(job, turn + 1));
                    }
                });
    }

    private static HttpRequest request(Job job, Api api) {
        return HttpRequest.newBuilder(api.uri("/jobs"))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + api.key())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(job.body()))
                .build();
    }

    /** Whether a job was accepted that did not exist before. */
    boolean hasAcceptedSince(Instant moment) {
        return newestAccepted.get().isAfter(moment);
    }

    /** Creates no more, and waits until all jobs are accepted. */
    void finish() throws InterruptedException {
        clock.shutdown();
        if (!clock.awaitTermination(LAST_ANSWERS.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("The client does not stop");
        }
        Eventually.await("every job is accepted", LAST_ANSWERS, () -> sent.get() - accepted.size(), open -> open == 0);
    }

    /** The jobs that were accepted, by idempotency key. */
    Map<String, Traffic> accepted() {
        return Map.copyOf(accepted);
    }

    /** How often each status was answered; 0 stands for no answer. */
    Map<Integer, Integer> answers() {
        var counts = new TreeMap<Integer, Integer>();
        answers.forEach((status, count) -> counts.put(status, count.get()));
        return counts;
    }

    @Override
    public void close() {
        clock.shutdownNow();
        http.shutdownNow();
    }
}
