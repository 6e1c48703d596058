package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.taskexec.testing.Eventually;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatcherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A statement that a test answers when it wants to. */
    private record Sent(List<Integer> items, CompletableFuture<List<String>> answer) {
        void succeed() {
            answer.complete(items.stream().map(item -> "r" + item).toList());
        }

        void fail(Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }

    private static final class BadItem extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Deque<Sent> sent = new ArrayDeque<>();

    private Batcher<Integer, String> batcher(int batch, int waiting, int inFlight) {
        return batcher(new Batcher.Limits(batch, waiting, inFlight));
    }

    private Batcher<Integer, String> batcher(Batcher.Limits limits) {
        return new Batcher<>("numbers", limits, BadItem.class::isInstance, this::send);
    }

    private Uni<List<String>> send(List<Integer> items) {
        var answer = new CompletableFuture<List<String>>();
        sent.add(new Sent(List.copyOf(items), answer));
        return Uni.createFrom().completionStage(answer);
    }

    private static UniAssertSubscriber<String> submit(Batcher<Integer, String> batcher, int item) {
        return batcher.submit(item).subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    @Test
    void submittingOneAfterAnotherNeedsNoMoreStackForMore() {
        var first = new CompletableFuture<List<Integer>>();
        var batcher = new Batcher<Integer, Integer>(
                "numbers",
                new Batcher.Limits(10, 10, 1),
                numbers -> numbers.contains(0)
                        ? Uni.createFrom().completionStage(first)
                        : Uni.createFrom().item(numbers));
        var results = Multi.createFrom()
                .range(0, 20_000)
                .onItem()
                .transformToUniAndConcatenate(batcher::submit)
                .collect()
                .asList()
                .subscribeAsCompletionStage();

        first.complete(List.of(0));

        assertThat(results).isCompletedWithValueMatching(all -> all.size() == 20_000);
    }

    @Test
    void aLoneCallerGoesAtOnce() {
        var caller = submit(batcher(10, 10, 1), 7);

        assertThat(sent).hasSize(1);
        sent.remove().succeed();
        caller.assertCompleted().assertItem("r7");
        assertThat(sent).isEmpty();
    }

    @Test
    void whatArrivesWhileAStatementIsInFlightGoesWithTheNextOneInOrder() {
        var batcher = batcher(10, 10, 1);
        var callers = IntStream.range(0, 6).mapToObj(i -> submit(batcher, i)).toList();

        assertThat(sent).hasSize(1);
        sent.remove().succeed();
        assertThat(sent).hasSize(1);
        assertThat(sent.element().items()).containsExactly(1, 2, 3, 4, 5);
        callers.get(1).assertNotTerminated();
        sent.remove().succeed();
        for (var i = 0; i < 6; i++) {
            callers.get(i).assertCompleted().assertItem("r" + i);
        }
    }

    @Test
    void aStatementThatHasNoAnswerIsStuckAndOneThatFailedIsNot() throws InterruptedException {
        var batcher = batcher(10, 10, 1);
        assertThat(batcher.progress().stuck()).isZero();
        submit(batcher, 1).assertNotTerminated();
        Eventually.await("it counts", PATIENCE, () -> batcher.progress().stuck().compareTo(Duration.ofMillis(30)) > 0);

        sent.remove().fail(new IllegalStateException("on purpose"));
        assertThat(batcher.progress().stuck()).isZero();
        assertThat(batcher.progress().sinceSuccess()).isNull();
        submit(batcher, 2).assertNotTerminated();
        sent.remove().succeed();
        assertThat(batcher.progress().sinceSuccess()).isNotNull();
    }

    private Batcher<Integer, String> batcher(AtomicLong clock) {
        return new Batcher<>(
                "numbers", new Batcher.Limits(10, 10, 1), BadItem.class::isInstance, this::send, clock::get);
    }

    @Test
    void failuresOneAfterTheOtherAddUpUntilSomethingSucceeds() {
        var clock = new AtomicLong();
        var batcher = batcher(clock);
        for (var i = 0; i < 20; i++) {
            submit(batcher, i).assertNotTerminated();
            clock.addAndGet(Duration.ofSeconds(5).toNanos());
            sent.remove().fail(new UnavailableException("away"));
        }
        assertThat(batcher.progress().failing()).isEqualTo(Duration.ofSeconds(100));
        assertThat(batcher.progress().stuck()).isZero();

        submit(batcher, 20).assertNotTerminated();
        sent.remove().succeed();
        assertThat(batcher.progress().failing()).isZero();
    }

    @Test
    void aFailureIsForgottenWhenThereIsNothingMoreToSend() {
        var clock = new AtomicLong();
        var batcher = batcher(clock);
        submit(batcher, 1).assertNotTerminated();
        sent.remove().fail(new UnavailableException("away"));
        clock.addAndGet(Duration.ofSeconds(9).toNanos());
        assertThat(batcher.progress().failing()).isEqualTo(Duration.ofSeconds(9));

        clock.addAndGet(Duration.ofHours(9).toNanos());
        submit(batcher, 2).assertNotTerminated();
        assertThat(batcher.progress().failing()).isZero();
        sent.remove().fail(new UnavailableException("away"));
        clock.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(batcher.progress().failing()).isZero();
    }

    @Test
    void anItemThatIsRefusedForItsDataIsNoFailureOfTheDatabase() {
        var clock = new AtomicLong();
        var batcher = batcher(clock);
        submit(batcher, 1).assertNotTerminated();
        sent.remove().fail(new BadItem());
        clock.addAndGet(Duration.ofSeconds(1).toNanos());

        assertThat(batcher.progress().failing()).isZero();
        assertThat(batcher.progress().sinceSuccess()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aBatchIsAtMostAsLargeAsItsLimit() {
        var batcher = batcher(2, 10, 1);
        var callers = IntStream.range(0, 6).mapToObj(i -> submit(batcher, i)).toList();

        var batches = new ArrayList<List<Integer>>();
        while (!sent.isEmpty()) {
            var one = sent.remove();
            batches.add(one.items());
            one.succeed();
        }
        assertThat(batches).containsExactly(List.of(0), List.of(1, 2), List.of(3, 4), List.of(5));
        callers.forEach(caller -> caller.assertCompleted());
    }

    @Test
    void aBadItemIsIsolatedFromItsBatch() {
        var batcher = batcher(10, 10, 1);
        var callers = IntStream.range(0, 9).mapToObj(i -> submit(batcher, i)).toList();
        var bad = List.of(3, 4, 8);

        while (!sent.isEmpty()) {
            var one = sent.remove();
            if (one.items().stream().anyMatch(bad::contains)) {
                one.fail(new BadItem());
            } else {
                one.succeed();
            }
        }
        for (var i = 0; i < 9; i++) {
            if (bad.contains(i)) {
                callers.get(i).assertFailedWith(BadItem.class);
            } else {
                callers.get(i).assertCompleted().assertItem("r" + i);
            }
        }
    }

    @Test
    void aFailureThatIsNoItemsFaultFailsTheBatchWithoutAskingAgain() {
        var batcher = batcher(10, 10, 1);
        var callers = IntStream.range(0, 5).mapToObj(i -> submit(batcher, i)).toList();

        sent.remove().succeed();
        sent.remove().fail(new IllegalStateException("database away"));

        assertThat(sent).isEmpty();
        callers.getFirst().assertCompleted();
        callers.subList(1, 5).forEach(caller -> caller.assertFailedWith(IllegalStateException.class, "database away"));
    }

    @Test
    void itGoesOnAfterAFailureEvenOneThatIsThrown() {
        var calls = new AtomicInteger();
        var batcher = new Batcher<Integer, String>("numbers", new Batcher.Limits(10, 10, 1), _ -> false, items -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("thrown");
            }
            return Uni.createFrom().item(List.of("r" + items.getFirst()));
        });

        submit(batcher, 1).assertFailedWith(IllegalStateException.class, "thrown");
        submit(batcher, 2).assertCompleted().assertItem("r2");
    }

    @Test
    void moreThanMayWaitAreRefusedAndNothingElseIsHarmed() {
        var batcher = batcher(10, 3, 1);
        var callers = IntStream.range(0, 4).mapToObj(i -> submit(batcher, i)).toList();

        submit(batcher, 4).assertFailedWith(BusyException.class, "numbers");
        sent.remove().succeed();
        assertThat(sent.element().items()).containsExactly(1, 2, 3);
        var later = submit(batcher, 5);
        sent.remove().succeed();
        sent.remove().succeed();
        callers.forEach(caller -> caller.assertCompleted());
        later.assertCompleted().assertItem("r5");
    }

    @Test
    void aWrongNumberOfResultsFailsEveryCaller() {
        var batcher = batcher(10, 10, 1);
        var callers = IntStream.range(0, 4).mapToObj(i -> submit(batcher, i)).toList();

        sent.remove().succeed();
        sent.remove().answer().complete(List.of("r1", "r2"));

        callers.subList(1, 4)
                .forEach(caller -> caller.assertFailedWith(IllegalStateException.class, "2 results for 3 items"));
    }

    @Test
    void asManyStatementsAreInFlightAsAllowed() {
        var batcher = batcher(2, 20, 2);
        var callers = IntStream.range(0, 9).mapToObj(i -> submit(batcher, i)).toList();

        assertThat(sent).extracting(Sent::items).containsExactly(List.of(0), List.of(1));
        var first = sent.remove();
        var second = sent.remove();
        second.succeed();
        assertThat(sent).extracting(Sent::items).containsExactly(List.of(2, 3));
        first.succeed();
        assertThat(sent).extracting(Sent::items).containsExactly(List.of(2, 3), List.of(4, 5));
        while (!sent.isEmpty()) {
            sent.remove().succeed();
        }
        callers.forEach(caller -> caller.assertCompleted());
    }

    @Test
    void aSecondStatementGoesOnlyWhenThoseThatWaitFillIt() {
        var batcher = batcher(new Batcher.Limits(3, 20, 1, 2));
        var callers = IntStream.range(0, 6).mapToObj(i -> submit(batcher, i)).toList();

        assertThat(sent).extracting(Sent::items).containsExactly(List.of(0), List.of(1, 2, 3));
        sent.remove().succeed();
        assertThat(sent).extracting(Sent::items).containsExactly(List.of(1, 2, 3));
        sent.remove().succeed();
        assertThat(sent).extracting(Sent::items).containsExactly(List.of(4, 5));
        sent.remove().succeed();
        callers.forEach(caller -> caller.assertCompleted());
    }

    /** The results of the next one may come on another thread, so that its callers would hear of them sooner. */
    @Test
    void theNextStatementGoesWhenTheCallersHaveHeardOfTheLastOne() {
        var batcher = batcher(10, 10, 1);
        var sentBefore = new AtomicInteger(-1);
        batcher.submit(1).subscribe().with(_ -> sentBefore.set(sent.size()));
        var second = submit(batcher, 2);

        sent.remove().succeed();

        assertThat(sentBefore).hasValue(0);
        sent.remove().succeed();
        second.assertCompleted();
    }

    @Test
    void nothingIsSentBeforeSomebodySubscribes() {
        var submitted = batcher(10, 10, 1).submit(1);

        assertThat(submitted).isNotNull();
        assertThat(sent).isEmpty();
    }

    @Test
    void underLoadEveryCallerGetsExactlyItsOwnResult() throws Exception {
        var seed = ThreadLocalRandom.current().nextLong();
        System.out.println("BatcherTest seed " + seed);
        var random = new Random(seed);
        var bad = IntStream.range(0, 40_000)
                .filter(_ -> random.nextInt(200) == 0)
                .boxed()
                .toList();
        var badItems = Set.copyOf(bad);
        var inFlight = new AtomicInteger();
        var mostInFlight = new AtomicInteger();
        var answers = new int[40_000];
        try (var database = Executors.newScheduledThreadPool(3);
                var threads = Executors.newFixedThreadPool(8)) {
            var batcher = new Batcher<Integer, String>(
                    "numbers", new Batcher.Limits(64, 50_000, 3), BadItem.class::isInstance, items -> {
                        mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                        var answer = new CompletableFuture<List<String>>();
                        var _ = database.schedule(
                                () -> {
                                    inFlight.decrementAndGet();
                                    return items.stream().anyMatch(badItems::contains)
                                            ? answer.completeExceptionally(new BadItem())
                                            : answer.complete(items.stream()
                                                    .map(item -> "r" + item)
                                                    .toList());
                                },
                                ThreadLocalRandom.current().nextInt(300),
                                TimeUnit.MICROSECONDS);
                        return Uni.createFrom().completionStage(answer);
                    });
            var all = IntStream.range(0, 8)
                    .mapToObj(thread -> CompletableFuture.supplyAsync(
                            () -> IntStream.range(thread * 5000, thread * 5000 + 5000)
                                    .mapToObj(item -> batcher.submit(item)
                                            .onItemOrFailure()
                                            .transform((result, failure) -> {
                                                synchronized (answers) {
                                                    answers[item]++;
                                                }
                                                return badItems.contains(item)
                                                        ? failure instanceof BadItem
                                                        : ("r" + item).equals(result);
                                            })
                                            .subscribeAsCompletionStage())
                                    .toList(),
                            threads))
                    .toList();
            for (var thread : all) {
                for (var one : thread.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    assertThat(one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
                }
            }
        }
        assertThat(answers).containsOnly(1);
        assertThat(mostInFlight.get()).isBetween(1, 3);
    }

    @Test
    void whoWaitsBehindAnUnavailableDatabaseFailsWithTheBatchBeforeIt() {
        var answer = new CompletableFuture<List<String>>();
        var runs = new AtomicInteger();
        var batcher = new Batcher<Integer, String>("numbers", new Batcher.Limits(1, 10, 1), _ -> false, _ -> {
            runs.incrementAndGet();
            return Uni.createFrom().completionStage(answer);
        });
        var sent = submit(batcher, 0);
        var waiting = submit(batcher, 1);

        answer.completeExceptionally(new UnavailableException("away"));

        sent.awaitFailure(PATIENCE).assertFailedWith(UnavailableException.class);
        waiting.awaitFailure(PATIENCE).assertFailedWith(UnavailableException.class);
        assertThat(runs).hasValue(1);
    }

    @Test
    void theMessageOfARefusalSaysWhatIsFull() {
        var batcher = batcher(1, 1, 1);
        submit(batcher, 0).assertNotTerminated();
        submit(batcher, 1).assertNotTerminated();

        assertThatThrownBy(() -> batcher.submit(2).await().atMost(PATIENCE))
                .isInstanceOf(BusyException.class)
                .hasMessage("too many are waiting: numbers");
    }
}
