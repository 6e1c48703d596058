package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.model.Json;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Received;
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
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Thousands of malformed callbacks, by token and by id, and malformed forms of approvals. {@code -Dfuzz.seed} repeats
 * those of another run, {@code -Dfuzz.callbacks} is their number.
 */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class CallbackFuzzIT {
    private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int REQUESTS = Integer.getInteger("fuzz.callbacks", 5_000);
    private static final int EXECUTIONS = 100;
    private static final int QUESTIONS = 20;
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

    /** Where requests go to: the paths of callbacks, of executions and of pages. */
    private record Paths(List<String> callbacks, List<String> executions, List<String> pages) {}

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

    private static Paths deferred() throws InterruptedException {
        receiver.answer(request -> request.path().equals("/chat")
                ? Answer.of(200, "{}")
                : Answer.of(202, "{}").with("Taskexec-Defer", "callback"));
        var _ = api.create("/endpoints", """
                {"name": "told", "type": "HTTP", "spec": {"url": "%s", "method": "POST", "body_template":
                  {"link": "{{input.url}}"}}}
                """.formatted(receiver.uri("/chat")));
        var _ = api.create("/endpoints", """
                {"name": "fuzzed", "type": "HTTP", "completion": {"modes": ["callback"]},
                  "spec": {"url": "%s", "method": "POST"}}
                """.formatted(receiver.uri("/")));
        var _ = api.create("/endpoints", """
                {"name": "asked", "type": "APPROVAL", "spec": {"announce": "told", "title": "Go?"}}
                """);
        var executions = IntStream.range(0, EXECUTIONS + QUESTIONS)
                .mapToObj(i -> api.immediate(i < EXECUTIONS ? "fuzzed" : "asked", "fuzzed-" + i))
                .map(id -> "/executions/" + id + "/callback")
                .toList();
        Eventually.await(
                "all are deferred, and nothing else is going on",
                BOUND,
                () -> db.number("SELECT count(*) FROM exec_live WHERE deferred AND lease_token IS NULL")
                                == EXECUTIONS + QUESTIONS
                        && db.number("SELECT count(*) FROM executions") == QUESTIONS
                        && db.number("SELECT count(*) FROM exec_live") == EXECUTIONS + QUESTIONS
                        && db.number("SELECT count(*) FROM event_outbox") == 0
                        // A question is looked at once more, a second after it was announced.
                        && db.number("SELECT count(*) FROM exec_live WHERE visible_at < now() + interval '1 hour'")
                                == 0);
        return new Paths(
                paths(request -> request.header("Taskexec-Callback-Url")),
                executions.subList(0, EXECUTIONS),
                paths(request -> request.path().equals("/chat")
                        ? JsonPath.from(request.body()).getString("link")
                        : null));
    }

    /** The paths that receivers were told, without repetition. */
    private static List<String> paths(Function<Received, @Nullable String> url) {
        return receiver.requests().stream()
                .flatMap(request -> Stream.ofNullable(url.apply(request)))
                .map(one -> one.substring("http://public.invalid".length()))
                .distinct()
                .toList();
    }

    private static List<String> state() {
        return Stream.of(
                        "exec_live",
                        "deferrals",
                        "execution_progress",
                        "approvals",
                        "executions",
                        "attempts",
                        "execution_logs",
                        "event_outbox",
                        "event_log",
                        "jobs")
                .flatMap(table ->
                        db.texts("SELECT '%1$s ' || r::text FROM %1$s AS r ORDER BY r::text".formatted(table)).stream())
                .toList();
    }

    private int send(int number, Paths paths) {
        var random = new Random(SEED + number);
        var request = switch (random.nextInt(4)) {
            case 0 -> form(paths.pages(), random);
            case 1 -> byId(paths.executions(), random);
            default -> byToken(paths.callbacks(), random);
        };
        try {
            var answer = client.send(request, BodyHandlers.ofString());
            if (answer.statusCode() >= 400 && !request.uri().getPath().startsWith("/approve/")) {
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

    private static HttpRequest byToken(List<String> paths, Random random) {
        var path = paths.get(random.nextInt(paths.size()));
        var body = BODIES.get(random.nextInt(BODIES.size()));
        var wrongToken = random.nextInt(3) == 0;
        return HttpRequest.newBuilder(api.uri(wrongToken ? wrong(path, "/callbacks/", random) : path))
                .POST(BodyPublishers.ofByteArray(wrongToken ? body.getBytes(UTF_8) : malformed(body, random)))
                .build();
    }

    private static HttpRequest byId(List<String> paths, Random random) {
        var path = paths.get(random.nextInt(paths.size()));
        var body = BODIES.get(random.nextInt(BODIES.size()));
        var wrongId = random.nextInt(3) == 0;
        var unknown = "/executions/exec_%016x%016x/callback".formatted(random.nextLong(), random.nextLong());
        return HttpRequest.newBuilder(api.uri(wrongId ? unknown : path))
                .header("Authorization", "Bearer " + api.key())
                .POST(BodyPublishers.ofByteArray(wrongId ? body.getBytes(UTF_8) : malformed(body, random)))
                .build();
    }

    private static HttpRequest form(List<String> paths, Random random) {
        var path = paths.get(random.nextInt(paths.size()));
        var wrongToken = random.nextInt(3) == 0;
        var type = random.nextInt(8) == 0 ? "multipart/form-data; boundary=x" : "application/x-www-form-urlencoded";
        return HttpRequest.newBuilder(api.uri(wrongToken ? wrong(path, "/approve/", random) : path))
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(
                        wrongToken ? "name=Eve&decision=approve".getBytes(UTF_8) : malformedForm(random)))
                .build();
    }

    private static byte[] malformedForm(Random random) {
        var form = switch (random.nextInt(9)) {
            case 0 -> "";
            case 1 -> "name=+%20%09&decision=approve";
            case 2 -> "name=Eve&comment=yes";
            case 3 -> "name=Eve&decision=" + random.nextInt();
            case 4 -> "name=Eve&decision=APPROVE";
            case 5 -> "name=" + "x".repeat(129 + random.nextInt(100_000)) + "&decision=approve";
            case 6 -> "name=Eve&decision=reject&comment=" + "y".repeat(5_000 + random.nextInt(50_000));
            case 7 -> "name=%zz%" + random.nextInt() + "&decision=%";
            default -> "{\"name\":\"Eve\",\"decision\":\"approve\"}";
        };
        return form.getBytes(UTF_8);
    }

    /** A token in which one character is another one. The last one may have bits that do not count. */
    private static String wrong(String path, String prefix, Random random) {
        var start = prefix.length();
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
