package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Thousands of malformed requests. {@code -Dfuzz.seed} repeats those of another run and {@code -Dfuzz.requests} makes
 * it longer.
 */
// Nothing is delivered, so that only requests change rows.
@ServerTest(roles = "api", env = "TE_WRONG_KEYS_PER_MIN=0", own = "It looks at all rows of the database.")
class FuzzIT {
    private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int REQUESTS = Integer.getInteger("fuzz.requests", 10_000);
    private static final int CONNECTIONS = 8;
    private static final int BOUND_SEC = 60 + REQUESTS / 500;
    private static final int MAX_SHOWN = 5;

    /** What the server answers itself to what is no HTTP, or not as much of it as it reads. */
    private static final Set<Integer> REFUSED = Set.of(400, 404, 405, 413, 414, 431, 505);

    @Inject
    private static ServerDb db;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    private final Map<String, LongAdder> statuses = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicInteger next = new AtomicInteger();

    @BeforeAll
    static void setUp() {
        for (var name : List.of("c", "untouched")) {
            api.config(name, Map.of("a", "b"));
        }
        api.secret("s", "value-of-s");
        api.secret("untouched", "value");
        var _ = api.create("/payload-specs", "{\"name\": \"p\", \"schema\": {}}");
        api.endpoint("e", URI.create("http://127.0.0.1:9/"), Map.of());
        api.endpoint("untouched", URI.create("http://127.0.0.1:9/"), Map.of());
    }

    @Test
    void malformedRequestsAreRefusedAndChangeNothing() throws Exception {
        var cron = api.create(
                        "/jobs",
                        "{\"endpoint\": \"untouched\", \"trigger\": \"CRON\", \"cron\": \"@daily\", \"timezone\":"
                                + " \"UTC\"}")
                .getString("job_id");
        // What has an unfinished job cannot be deleted, so that the requests have something to aim at until the end.
        var _ = api.create(
                "/jobs",
                "{\"endpoint\": \"e\", \"trigger\": \"DELAYED\", \"delay\": \"P30D\", \"idempotency_key\": \"held\"}");
        var rows = new ExpectedRows(db);
        var untouched = untouched();

        sendAll(cron, rows);

        System.out.printf("fuzz.seed=%d: %d requests, answered with %s%n", SEED, REQUESTS, new TreeMap<>(statuses));
        assertThat(faults.stream().limit(MAX_SHOWN))
                .as("fuzz.seed=%d, %d faults", SEED, faults.size())
                .isEmpty();
        assertThat(program.errors()).isEmpty();
        assertThat(rows.actual()).as("fuzz.seed=%d", SEED).containsExactlyElementsOf(rows.expected());
        assertThat(untouched()).isEqualTo(untouched);
        assertThat(api.get("/jobs").statusCode()).isEqualTo(200);
    }

    private void sendAll(String cron, ExpectedRows rows)
            throws InterruptedException, ExecutionException, TimeoutException {
        var threads = Executors.newFixedThreadPool(CONNECTIONS);
        try {
            var senders = IntStream.range(0, CONNECTIONS)
                    .mapToObj(_ -> threads.submit(() -> sendSome(cron, rows)))
                    .toList();
            var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SEC);
            for (var sender : senders) {
                var _ = sender.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } finally {
            var _ = threads.shutdownNow();
        }
    }

    private void sendSome(String cron, ExpectedRows rows) {
        try (var connection = new RawConnection(api.port())) {
            for (var number = next.getAndIncrement(); number < REQUESTS; number = next.getAndIncrement()) {
                var request = MalformedRequest.of(SEED, number, api.key(), cron);
                try {
                    look(number, request, connection.exchange(request), rows);
                } catch (IOException | RuntimeException | AssertionError e) {
                    connection.drop();
                    fault(number, request, e.toString());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void look(int number, MalformedRequest request, RawConnection.Response response, ExpectedRows rows) {
        var status = response.status();
        statuses.computeIfAbsent(request.kind() + " " + status, _ -> new LongAdder())
                .increment();
        if (!request.isHttp() || request.isCutOff()) {
            // A connection that is closed without an answer is one.
            if (status != 0 && !REFUSED.contains(status) && status != 401) {
                fault(number, request, response.toString());
            }
        } else if (status / 100 == 2) {
            rows.accepted(request, response);
        } else if (status / 100 != 4 || !isError(request, response)) {
            fault(number, request, response.toString());
        }
    }

    private static boolean isError(MalformedRequest request, RawConnection.Response response) {
        if (request.method().equals("HEAD")) {
            return true;
        }
        var error = ApiDocument.parse(response.body()).path("error");
        return response.header("content-type").startsWith("application/json")
                && error.path("code").asText().matches("[A-Z_]+")
                && !error.path("message").asText().isEmpty()
                && error.path("request_id").asText().equals(response.header("x-request-id"))
                && areDetails(error.path("details"));
    }

    private static boolean areDetails(JsonNode details) {
        return details.isMissingNode()
                || details.valueStream()
                        .allMatch(d -> d.path("pointer").isTextual()
                                && d.path("message").isTextual()
                                && d.size() == 2);
    }

    private void fault(int number, MalformedRequest request, String what) {
        faults.add("request %d, %s%n-> %s%n".formatted(number, request, what));
    }

    private static List<String> untouched() {
        return List.of(
                db.texts("SELECT c::text FROM configs c WHERE name = 'untouched'")
                        .toString(),
                db.texts("SELECT s::text FROM secrets s WHERE name = 'untouched'")
                        .toString(),
                db.texts("SELECT e::text FROM endpoints e WHERE name = 'untouched'")
                        .toString());
    }
}
