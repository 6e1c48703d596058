package io.taskexec.dispatch.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.testing.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class OneShotTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MANY = 10;
    private static final Outcome TIMEOUT = new Outcome.Interrupted();

    private static final Vertx vertx = Vertx.vertx();

    @AfterAll
    static void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** A delivery that ends when the test says so. */
    private static final class Shot extends OneShot {
        final AtomicInteger released = new AtomicInteger();

        Shot(UniEmitter<? super Outcome> emitter) {
            super(vertx, emitter);
        }

        @Override
        protected void begin() {}

        @Override
        protected Outcome onTimeout() {
            return TIMEOUT;
        }

        @Override
        protected void release() {
            released.incrementAndGet();
        }

        void end(Outcome outcome) {
            finish(outcome);
        }

        boolean hasEnded() {
            return isOver();
        }
    }

    private final AtomicReference<Shot> shot = new AtomicReference<>();

    private Uni<Outcome> begin(Duration timeout) {
        return Uni.createFrom().emitter(emitter -> {
            shot.set(new Shot(emitter));
            shot.get().start(timeout);
        });
    }

    private static Outcome answer(int number) {
        return new Outcome.Succeeded(JsonNodeFactory.instance.objectNode().put("number", number));
    }

    @Test
    void theFirstOfTenAnswersAtOnceDecides() throws Exception {
        var emitted = new ArrayList<Outcome>();
        var outcome = begin(PATIENCE).invoke(emitted::add).subscribeAsCompletionStage();
        var together = new CyclicBarrier(MANY);
        try (var threads = Executors.newFixedThreadPool(MANY)) {
            for (var i = 0; i < MANY; i++) {
                var mine = answer(i);
                var _ = threads.submit(() -> {
                    var _ = together.await();
                    shot.get().end(mine);
                    return mine;
                });
            }
        }

        assertThat(outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(Outcome.Succeeded.class);
        assertThat(emitted).hasSize(1);
        assertThat(shot.get().released).hasValue(1);
    }

    @Test
    void theTimerDecidesAndALateAnswerIsIgnored() {
        assertThat(begin(Duration.ofMillis(1)).await().atMost(PATIENCE)).isEqualTo(TIMEOUT);

        shot.get().end(answer(1));
        assertThat(shot.get().released).hasValue(1);
    }

    @Test
    void aCancellationReleasesAndEmitsNothing() {
        var emitted = new ArrayList<Outcome>();
        var running = begin(PATIENCE).subscribe().with(emitted::add);

        running.cancel();
        shot.get().end(answer(1));

        assertThat(shot.get().hasEnded()).isTrue();
        assertThat(shot.get().released).hasValue(1);
        assertThat(emitted).isEmpty();
    }

    @Test
    void theOutcomeIsEmittedOnTheLoopThatAsked() throws Exception {
        var asked = new CompletableFuture<Thread>();
        var emitted = new CompletableFuture<Thread>();
        vertx.getOrCreateContext().runOnContext(_ -> {
            var _ = begin(PATIENCE).subscribe().with(_ -> emitted.complete(Thread.currentThread()));
            asked.complete(Thread.currentThread());
        });
        var loop = asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        shot.get().end(answer(1));

        assertThat(emitted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isSameAs(loop);
    }

    @Test
    void anAnswerOnTheLoopThatAskedIsEmittedAtOnce() throws InterruptedException {
        var emittedAtOnce = new AtomicReference<Boolean>();
        vertx.getOrCreateContext().runOnContext(_ -> {
            var emitted = new ArrayList<Outcome>();
            var _ = begin(PATIENCE).subscribe().with(emitted::add);
            shot.get().end(answer(1));
            emittedAtOnce.set(emitted.size() == 1);
        });

        Eventually.await("it is emitted", PATIENCE, () -> Boolean.TRUE.equals(emittedAtOnce.get()));
    }
}
