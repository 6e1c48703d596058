package io.taskexec.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.schema.CheckBudget;
import io.taskexec.schema.InputSchema;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that the queue for checks is bounded by size, not by the number of requests. */
class CheckLaneTest {
    private static final int MOST_BYTES = 1_000;
    private static final int CLIENTS = 30;
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final CheckLane lane = new CheckLane("checks-of-this-test", BOUND, MOST_BYTES);
    private final CountDownLatch held = new CountDownLatch(1);

    private CompletableFuture<String> begin(String key, long bytes) {
        return lane.run(new CheckTime(key, bytes), _ -> key)
                .subscribeAsCompletionStage()
                .toCompletableFuture();
    }

    /** Has the only thread until it is let go. */
    private void hold() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var _ = lane.run(new CheckTime("first", 1), _ -> {
                    begun.countDown();
                    await(held);
                    return true;
                })
                .subscribeAsCompletionStage();
        await(begun);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void assertRefused(CompletableFuture<String> check) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(
                        () -> Uni.createFrom().completionStage(check).await().atMost(BOUND))
                .withMessageContaining("Too many inputs are being checked")
                .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void asManySmallRequestsWaitAsThereAre() throws InterruptedException {
        hold();
        var clients =
                IntStream.range(0, CLIENTS).mapToObj(n -> begin("key-" + n, 10)).toList();
        assertThat(clients).noneMatch(CompletableFuture::isDone);
        held.countDown();

        assertThat(clients).allSatisfy(client -> assertThat(client).succeedsWithin(BOUND));
    }

    @Test
    void oneKeyHasHalfOfTheRoomAndAllKeysTheWhole() throws InterruptedException {
        hold();
        var first = begin("greedy", MOST_BYTES / 2);

        assertRefused(begin("greedy", 1));
        var second = begin("other", MOST_BYTES / 2);
        assertRefused(begin("third", 1));
        held.countDown();

        assertThat(first).succeedsWithin(BOUND);
        assertThat(second).succeedsWithin(BOUND);
        assertThat(begin("greedy", MOST_BYTES / 2)).succeedsWithin(BOUND);
    }

    @Test
    void aStoredSpecIsCompiledWhenThereIsNoRoom() throws InterruptedException {
        hold();
        var first = begin("one", MOST_BYTES / 2);
        var second = begin("other", MOST_BYTES / 2);
        var stored = IntStream.range(0, CLIENTS).mapToObj(_ -> begin("", 0)).toList();
        held.countDown();

        assertThat(first).succeedsWithin(BOUND);
        assertThat(second).succeedsWithin(BOUND);
        assertThat(stored).allSatisfy(spec -> assertThat(spec).succeedsWithin(BOUND));
    }

    /** As after a cold start: each one compiles its own spec, which is too large to be used on the event loop. */
    @Test
    void thirtyHonestClientsAtOnceAreAllServed() throws Exception {
        var checks = new InputChecks();
        var schema = Json.parse("{\"description\":\"" + "x".repeat(9 * 1024) + "\",\"properties\":{\"n\":"
                + "{\"type\":\"array\",\"uniqueItems\":true}}}");
        var input = Json.parse(
                "{\"n\":" + IntStream.range(0, 300).boxed().toList().toString().replace(" ", "") + "}");

        // Mutiny loads its extensions at first, which it cannot do for two at once.
        assertThat(check(checks, schema, input, "first")).isEqualTo("created");

        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = IntStream.range(0, CLIENTS)
                    .mapToObj(n -> clients.submit(() -> check(checks, schema, input, "key-" + n)))
                    .toList();

            assertThat(answers).allSatisfy(answer -> assertThat(answer.get()).isEqualTo("created"));
        }
    }

    private static String check(InputChecks checks, JsonNode schema, JsonNode input, String key) {
        return checks.compile((CheckBudget budget) -> InputSchema.compile(schema, budget))
                .chain(compiled -> checks.checked(
                        compiled,
                        input,
                        "/input",
                        new CheckTime(key, 1_200),
                        () -> Uni.createFrom().item("created")))
                .await()
                .atMost(BOUND);
    }
}
