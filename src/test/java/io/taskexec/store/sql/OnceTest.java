package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class OnceTest {
    private static final int TRIES = 100_000;
    private static final Duration LONGEST = Duration.ofSeconds(3);

    private final AtomicReference<UniEmitter<? super Integer>> emitter = new AtomicReference<>();
    private final AtomicInteger begun = new AtomicInteger();

    private Uni<Integer> work() {
        return Uni.createFrom().emitter(one -> {
            begun.incrementAndGet();
            emitter.set(one);
        });
    }

    @Test
    void itIsDoneOnceForAllWhoGoOnInTheirOrder() {
        var order = new ArrayList<Integer>();
        var once = Once.forAll(work());
        for (var number : List.of(1, 2, 3)) {
            var _ = once.subscribe().with(_ -> order.add(number));
        }

        emitter.get().complete(7);

        assertThat(order).containsExactly(1, 2, 3);
        assertThat(once.await().atMost(Duration.ofSeconds(10))).isEqualTo(7);
        assertThat(begun).hasValue(1);
    }

    @Test
    void aFailureIsThatOfAll() {
        var once = Once.forAll(work());
        var waiting = once.subscribeAsCompletionStage();

        emitter.get().fail(new IllegalStateException("on purpose"));

        assertThat(waiting).isCompletedExceptionally();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> once.await().atMost(Duration.ofSeconds(10)));
        assertThat(begun).hasValue(1);
    }

    @Test
    void itIsDoneAnewWhenItsTimeIsOver() {
        var once = Once.during(Duration.ofNanos(1), Uni.createFrom().item(begun::incrementAndGet));

        assertThat(once.await().atMost(Duration.ofSeconds(10))).isEqualTo(1);
        assertThat(once.await().atMost(Duration.ofSeconds(10))).isEqualTo(2);
    }

    /** Of some thousand who come just as the item does, memoize alone gives one what its next operators mistake. */
    @Test
    void whoComesJustAsTheItemDoesGetsIt() throws Exception {
        var tried = new AtomicInteger(-1);
        var given = new AtomicInteger(-1);
        var giving = new Thread(() -> {
            for (var attempt = 0; attempt < TRIES; attempt++) {
                while (tried.get() < attempt) {
                    Thread.onSpinWait();
                }
                for (var pause = 0; pause < attempt % 100; pause++) {
                    Thread.onSpinWait();
                }
                emitter.get().complete(1);
                given.set(attempt);
            }
        });
        giving.setDaemon(true);
        giving.start();
        var until = System.nanoTime() + LONGEST.toNanos();
        for (var attempt = 0; attempt < TRIES && System.nanoTime() - until < 0; attempt++) {
            var once = Once.forAll(work());
            var _ = once.subscribe().with(_ -> {});
            var seen = new CompletableFuture<String>();
            var next = once.chain(number -> Uni.createFrom().item("number " + (number + 1)));
            tried.set(attempt);

            var _ = next.subscribe().with(seen::complete, seen::completeExceptionally);

            while (given.get() < attempt) {
                Thread.onSpinWait();
            }
            assertThat(seen.get(10, TimeUnit.SECONDS)).isEqualTo("number 2");
        }
        tried.set(TRIES);
        giving.join();
    }
}
