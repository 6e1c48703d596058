package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyBatcherTest {
    private static final int KEYS = 100;

    /** A statement that waits for a lock, until a test ends the transaction that has it. */
    private record Waiting(List<Integer> items, CompletableFuture<List<String>> answer) {
        void succeed() {
            answer.complete(results(items));
        }

        void giveUp() {
            answer.completeExceptionally(new LockedException());
        }
    }

    private record Run(List<Integer> items, LockTimeout timeout) {}

    private final AtomicLong clock = new AtomicLong();
    private final Set<Integer> locked = new HashSet<>();
    private final List<Run> runs = new ArrayList<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final CompletableFuture<List<String>> first = new CompletableFuture<>();
    private final KeyBatcher<Integer, String> batcher =
            new KeyBatcher<>("numbers", new Batcher.Limits(50, 1_000, 1), item -> item % KEYS, this::run, clock::get);

    private Uni<List<String>> run(List<Integer> items, LockTimeout timeout) {
        runs.add(new Run(items, timeout));
        if (runs.size() == 1) {
            return Uni.createFrom().completionStage(first);
        }
        if (items.stream().noneMatch(item -> locked.contains(item % KEYS))) {
            return Uni.createFrom().item(results(items));
        }
        if (timeout != LockTimeout.OF_ONE) {
            return Uni.createFrom().failure(new LockedException());
        }
        var one = new Waiting(items, new CompletableFuture<>());
        waiting.add(one);
        return Uni.createFrom().completionStage(one.answer());
    }

    private static List<String> results(List<Integer> items) {
        return items.stream().map(item -> "r" + item).toList();
    }

    private UniAssertSubscriber<String> submit(int item) {
        return batcher.submit(item).subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    /** Submits 0 to {@code end}, all but 0 in one batch. */
    private List<UniAssertSubscriber<String>> submitTogether(int end) {
        var callers = IntStream.rangeClosed(0, end).mapToObj(this::submit).toList();
        first.complete(List.of("r0"));
        return callers;
    }

    private List<List<Integer>> runs(LockTimeout timeout) {
        return runs.stream()
                .filter(run -> run.timeout() == timeout)
                .map(Run::items)
                .toList();
    }

    @Test
    void onlyThoseWhoseKeyIsLockedWaitForIt() {
        locked.addAll(List.of(7, 40));
        var callers = submitTogether(45);

        for (var i = 0; i <= 45; i++) {
            if (locked.contains(i)) {
                callers.get(i).assertNotTerminated();
            } else {
                callers.get(i).assertCompleted().assertItem("r" + i);
            }
        }
        assertThat(runs(LockTimeout.OF_MANY)).hasSize(2);
        assertThat(runs(LockTimeout.OF_ONE)).containsExactly(List.of(7), List.of(40));
        waiting.remove().giveUp();
        waiting.remove().succeed();
        callers.get(7).assertFailedWith(LockedException.class);
        callers.get(40).assertCompleted().assertItem("r40");
    }

    @Test
    void aKeyThatWasFoundLockedHoldsUpNoOtherBatch() {
        locked.add(7);
        var _ = submitTogether(9);
        waiting.remove().giveUp();

        var again = submit(7);
        submit(8).assertCompleted();
        assertThat(runs(LockTimeout.OF_MANY)).hasSize(3).last().isEqualTo(List.of(8));
        locked.clear();
        waiting.remove().succeed();
        again.assertCompleted();
        submit(107).assertCompleted();
        assertThat(runs(LockTimeout.OF_ONE)).containsExactly(List.of(7), List.of(7), List.of(107));
    }

    @Test
    void thoseOfOneKeyWaitOnceAndTogether() {
        locked.add(7);
        var before = submitTogether(7).getLast();
        var behind = IntStream.of(107, 207).mapToObj(this::submit).toList();

        waiting.remove().succeed();
        before.assertCompleted();
        behind.forEach(caller -> caller.assertNotTerminated());
        var last = submit(307);
        waiting.remove().giveUp();

        assertThat(waiting).isEmpty();
        behind.forEach(caller -> caller.assertFailedWith(LockedException.class));
        last.assertFailedWith(LockedException.class);
        assertThat(runs(LockTimeout.OF_ONE)).containsExactly(List.of(7), List.of(107, 207));
    }

    @Test
    void onlyTwoKeysAreWaitedForAtATime() {
        locked.addAll(List.of(1, 2, 3, 4));
        var callers = submitTogether(5);

        assertThat(waiting).hasSize(2);
        waiting.remove().giveUp();
        assertThat(waiting).hasSize(2);
        waiting.remove().succeed();
        waiting.remove().succeed();
        waiting.remove().succeed();
        callers.get(1).assertFailedWith(LockedException.class);
        callers.subList(2, 6).forEach(caller -> caller.assertCompleted());
    }

    @Test
    void whoHasWaitedBehindOthersDoesNotWaitAsLongAgain() {
        locked.addAll(List.of(1, 2, 3, 4));
        var callers = submitTogether(4);

        clock.addAndGet(LockTimeout.OF_ONE.nanos());
        waiting.remove().giveUp();

        assertThat(waiting).hasSize(1);
        callers.get(3).assertFailedWith(LockedException.class);
        callers.get(4).assertFailedWith(LockedException.class);
    }
}
