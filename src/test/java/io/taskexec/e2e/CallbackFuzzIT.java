package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Thousands of malformed callbacks. {@code -Dfuzz.seed} repeats those of another run. */
@ServerTest(env = "TE_PUBLIC_URL=http://public.invalid")
class CallbackFuzzIT {
    private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int REQUESTS = 5_000;
    private static final int EXECUTIONS = 100;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private static final List<String> BODIES = List.of(
            "{\"status\":\"succeeded\",\"output\":{\"a\":[1,2,{\"b\":null}]}}",
            "{\"status\":\"failed\",\"error\":{\"message\":\"broken\",\"permanent\":true}}",
            "{\"status\":\"progress\",\"progress\":{\"current\":1,\"total\":2,\"message\":\"half\"},"
                    + "\"extend\":\"PT5M\"}",
            "{\"status\":\"heartbeat\",\"extend\":\"PT5M\"}");

    @Inject
    private static Receiver receiver;

    @Inject
    private static ServerDb db;

    @Inject
    private static Api api;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void malformedCallbacksAreRefusedAndChangeNothing() throws Exception {
        var paths = deferred();
        var before = state();
        var statuses = new ConcurrentHashMap<Integer, AtomicInteger>();

        IntStream.range(0, REQUESTS)
                .parallel()
                .forEach(number -> statuses.computeIfAbsent(send(number, paths), _ -> new AtomicInteger())
                        .incrementAndGet());

        System.out.printf("fuzz.seed=%d: %d callbacks, answered with %s%n", SEED, REQUESTS, statuses);
        assertThat(statuses.keySet()).as("fuzz.seed=%d", SEED).isSubsetOf(400, 404, 413, 429);
        assertThat(statuses).containsKeys(400, 404);
        assertThat(state()).as("fuzz.seed=%d", SEED).isEqualTo(before);
    }

    private static List<String> deferred() throws InterruptedException {
        receiver.answer(Answer.of(202, "{}").with("Taskexec-Defer", "callback"));
        var _ = api.create("/endpoints", """
                {"name": "fuzzed", "type": "HTTP", "completion": {"modes": ["callback"]},
                  "spec": {"url": "%s", "method": "POST"}}
                """.formatted(receiver.uri("/")));
        for (var i = 0; i < EXECUTIONS; i++) {
            var _ = api.create(
                    "/jobs", Map.of("endpoint", "fuzzed", "trigger", "IMMEDIATE", "idempotency_key", "fuzzed-" + i));
        }
        Eventually.await(
                "all are deferred",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live WHERE deferred") == EXECUTIONS);
        return receiver.requests().stream()
                .map(request -> String.valueOf(request.header("Taskexec-Callback-Url")))
                .map(url -> url.substring("http://public.invalid".length()))
                .toList();
    }

    private static List<String> state() {
        return db.texts("SELECT l::text || coalesce(d::text, '') || coalesce(p::text, '') FROM exec_live l"
                + " LEFT JOIN deferrals d ON d.execution_id = l.execution_id"
                + " LEFT JOIN execution_progress p ON p.execution_id = l.execution_id ORDER BY l.execution_id");
    }

    private int send(int number, List<String> paths) {
        var random = new Random(SEED + number);
        var path = paths.get(random.nextInt(paths.size()));
        var body = BODIES.get(random.nextInt(BODIES.size()));
        var wrongToken = random.nextInt(3) == 0;
        var request = HttpRequest.newBuilder(api.uri(wrongToken ? wrong(path, random) : path))
                .POST(BodyPublishers.ofByteArray(wrongToken ? body.getBytes(UTF_8) : malformed(body, random)))
                .build();
        try {
            var answer = client.send(request, BodyHandlers.ofString());
            if (answer.statusCode() >= 400) {
                assertThat(Json.parse(answer.body()).at("/error/code").isTextual())
                        .isTrue();
            }
            return answer.statusCode();
        } catch (IOException e) {
            throw new IllegalStateException("fuzz.seed=%d, callback %d".formatted(SEED, number), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A token in which one character is another one. The last one may have bits that do not count. */
    private static String wrong(String path, Random random) {
        var start = "/callbacks/".length();
        var place = start + random.nextInt(path.length() - start - 1);
        var other = path.charAt(place) == 'x' ? 'y' : 'x';
        return path.substring(0, place) + other + path.substring(place + 1);
    }

    private static byte[] malformed(String body, Random random) {
        return switch (random.nextInt(9)) {
            case 0 -> body.substring(0, random.nextInt(body.length())).getBytes(UTF_8);
            case 1 -> (body + "}").getBytes(UTF_8);
            case 2 ->
                body.replaceFirst("\\{", "{\"unknown-" + random.nextInt() + "\":1,")
                        .getBytes(UTF_8);
            case 3 ->
                body.replaceFirst("\"status\":\"\\w+\"", "\"status\":" + random.nextInt())
                        .getBytes(UTF_8);
            case 4 -> ("[" + body + "]").getBytes(UTF_8);
            case 5 -> "[".repeat(1 + random.nextInt(100_000)).getBytes(UTF_8);
            case 6 ->
                "{\"status\":\"progress\",\"progress\":{\"current\":%s}}"
                        .formatted(random.nextBoolean() ? "1e999" : "-" + random.nextDouble())
                        .getBytes(UTF_8);
            case 7 -> {
                var bytes = body.getBytes(UTF_8);
                bytes[1 + random.nextInt(bytes.length - 1)] = (byte) 0xff;
                yield bytes;
            }
            default ->
                "{\"status\":\"heartbeat\",\"extend\":\"%s\"}"
                        .formatted(random.nextBoolean() ? "P99999D" : "-PT1S")
                        .getBytes(UTF_8);
        };
    }
}
