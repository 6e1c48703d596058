package io.taskexec.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HostClock;
import io.taskexec.testing.RecordedLog;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofHours(1);

    private final LoopTimer timer = new LoopTimer();
    private final BlockingQueue<CompletableFuture<Duration>> runs = new LinkedBlockingQueue<>();
    private final Loop loop = new Loop(
            "test",
            () -> {
                var end = new CompletableFuture<Duration>();
                runs.add(end);
                return Uni.createFrom().completionStage(end);
            },
            timer);

    @AfterEach
    void close() {
        timer.close();
    }

    /** The next run, which the test ends when it wants to. */
    private CompletableFuture<Duration> run() throws InterruptedException {
        var run = runs.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (run == null) {
            throw new AssertionError("the duty was not run");
        }
        return run;
    }

    /** Everything that was given to the timer before has been run when this returns. */
    private void settle() throws Exception {
        timer.schedule(() -> {}, Duration.ZERO).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private CompletableFuture<Void> stop() {
        return loop.stop().subscribeAsCompletionStage();
    }

    @Test
    void theFirstRunIsAtOnceAndTheDutySaysWhenTheNextIs() throws Exception {
        loop.start();
        run().complete(Duration.ZERO);
        var second = run();
        var asked = System.nanoTime();
        second.complete(Duration.ofMillis(50));
        run().complete(LONG);

        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(40));
        settle();
        assertThat(runs).isEmpty();
    }

    @Test
    void itDoesNotRunBeforeItIsStarted() throws Exception {
        loop.wake();
        settle();

        assertThat(runs).isEmpty();
    }

    @Test
    void aWakeUpEndsTheWait() throws Exception {
        loop.start();
        run().complete(LONG);
        loop.wake();
        run().complete(LONG);
        settle();

        assertThat(runs).isEmpty();
    }

    @Test
    void aWakeUpDuringARunLeadsToExactlyOneMore() throws Exception {
        loop.start();
        var first = run();
        loop.wake();
        loop.wake();
        settle();
        assertThat(runs).isEmpty();
        first.complete(LONG);
        run().complete(LONG);
        settle();

        assertThat(runs).isEmpty();
    }

    @Test
    void wakeUpsThatKeepComingDoNotPutOffTheRun() throws Exception {
        var enough = new CompletableFuture<Void>();
        var count = new AtomicInteger();
        var busy = new Loop(
                "busy",
                () -> {
                    if (count.incrementAndGet() == 500) {
                        enough.complete(null);
                    }
                    return Uni.createFrom().item(LONG);
                },
                timer);
        busy.start();
        try (var threads = Executors.newFixedThreadPool(2)) {
            for (var i = 0; i < 2; i++) {
                threads.execute(() -> {
                    var deadline = System.nanoTime() + PATIENCE.toNanos();
                    while (!enough.isDone() && System.nanoTime() < deadline) {
                        busy.wake();
                    }
                });
            }
            enough.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        busy.stop().await().atMost(PATIENCE);
    }

    @Test
    void aFailureIsSurvivedWithAPause() throws Exception {
        loop.start();
        var first = run();
        var failed = System.nanoTime();
        first.completeExceptionally(new IllegalStateException("on purpose"));
        run().complete(LONG);

        assertThat(Duration.ofNanos(System.nanoTime() - failed)).isGreaterThan(Duration.ofMillis(80));
    }

    @Test
    void aFailureThatIsThrownIsSurvivedToo() throws Exception {
        var calls = new AtomicInteger();
        var survived = new CompletableFuture<Void>();
        var thrower = new Loop(
                "thrower",
                () -> {
                    if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("on purpose");
                    }
                    survived.complete(null);
                    return Uni.createFrom().item(LONG);
                },
                timer);
        thrower.start();

        survived.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void thePauseGrowsWithRepetitionAndIsForgottenAfterASuccess() throws Exception {
        loop.start();
        run().completeExceptionally(new IllegalStateException("first"));
        var next = run();
        var second = System.nanoTime();
        next.completeExceptionally(new IllegalStateException("second"));
        run().completeExceptionally(new IllegalStateException("third"));
        assertThat(Duration.ofNanos(System.nanoTime() - second)).isGreaterThan(Duration.ofMillis(180));
        run().completeExceptionally(new IllegalStateException("fourth"));
        run().complete(Duration.ZERO);
        run().completeExceptionally(new IllegalStateException("first again"));
        var firstAgain = HostClock.nanos();
        run().complete(LONG);

        // A fifth in a row would be followed by 1.6 s.
        assertThat(HostClock.since(firstAgain)).isLessThan(Duration.ofMillis(1500));
    }

    @Test
    void aWakeUpDuringARunThatFailsDoesNotShortenThePause() throws Exception {
        loop.start();
        var first = run();
        loop.wake();
        var failed = System.nanoTime();
        first.completeExceptionally(new IllegalStateException("on purpose"));
        run().complete(LONG);

        assertThat(Duration.ofNanos(System.nanoTime() - failed)).isGreaterThan(Duration.ofMillis(80));
    }

    @Test
    void aFailureIsLoggedWhenItIsNewAndNotByItsRepetition() throws Exception {
        try (var log = RecordedLog.of(Loop.class)) {
            loop.start();
            run().completeExceptionally(new PgException("no table", "ERROR", "42P01", ""));
            run().completeExceptionally(new PgException("no table", "ERROR", "42P01", ""));
            run().completeExceptionally(new PgException("no column", "ERROR", "42703", ""));
            run().completeExceptionally(new Expected());
            run().complete(Duration.ZERO);
            run().completeExceptionally(new PgException("no table", "ERROR", "42P01", ""));
            run().complete(LONG);
            settle();

            var lines = log.lines();
            assertThat(lines).hasSize(3);
            assertThat(lines.get(0).level()).hasToString("ERROR");
            assertThat(lines.get(0).message())
                    .startsWith("test failed, will be tried again: ")
                    .contains("no table");
            assertThat(lines.get(1).level()).hasToString("WARN");
            assertThat(lines.get(1).message()).startsWith("test failed again: ").contains("no column");
            assertThat(lines.get(2).level()).hasToString("ERROR");
            assertThat(lines.get(2).message()).isEqualTo(lines.get(0).message());
        }
    }

    /** Has no trace, since its thrower logs it. */
    private static final class Expected extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Expected() {
            super("expected", null, false, false);
        }
    }

    @Test
    void aRunThatDoesNotEndIsStuckUntilItDoes() throws Exception {
        loop.start();
        var run = run();
        assertThat(loop.progress().sinceSuccess()).isNull();
        Eventually.await("it counts", PATIENCE, () -> isLong(loop.progress().stuck()));

        run.complete(LONG);
        settle();
        assertThat(loop.progress().stuck()).isZero();
        assertThat(loop.progress().failing()).isZero();
        assertThat(loop.progress().sinceSuccess()).isNotNull();
    }

    @Test
    void aRunThatIsDueAndDoesNotBeginIsStuck() throws Exception {
        loop.start();
        run().complete(Duration.ofMillis(200));
        settle();
        timer.close();

        Eventually.await("it counts", PATIENCE, () -> isLong(loop.progress().stuck()));
    }

    @Test
    void whatFailsOverAndOverIsNotStuckButFailingUntilItSucceeds() throws Exception {
        loop.start();
        run().completeExceptionally(new IllegalStateException("first"));
        run().completeExceptionally(new IllegalStateException("second"));
        settle();
        var progress = loop.progress();
        assertThat(progress.failing()).isGreaterThan(Duration.ofMillis(80));
        // Not zero on a machine that is so slow that the third run is late already.
        assertThat(progress.stuck()).isLessThan(progress.failing().minusMillis(80));

        run().complete(LONG);
        settle();
        assertThat(loop.progress().failing()).isZero();
    }

    @Test
    void ofALoopThatIsToldToStopNothingIsExpected() throws Exception {
        loop.start();
        var run = run();
        var stopped = stop();
        assertThat(loop.progress().stuck()).isZero();

        run.complete(Duration.ZERO);
        stopped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(loop.progress().stuck()).isZero();
        assertThat(loop.progress().failing()).isZero();
    }

    private static boolean isLong(Duration time) {
        return time.compareTo(Duration.ofMillis(30)) > 0;
    }

    @Test
    void stoppingWhileItWaitsIsDoneAtOnce() throws Exception {
        loop.start();
        run().complete(LONG);

        stop().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        loop.wake();
        settle();
        assertThat(runs).isEmpty();
    }

    @Test
    void stoppingWaitsForTheRunThatIsUnderWay() throws Exception {
        loop.start();
        var run = run();
        var stopped = stop();
        settle();
        assertThat(stopped).isNotDone();

        run.complete(Duration.ZERO);
        stopped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        settle();
        assertThat(runs).isEmpty();
    }

    @Test
    void stoppingEndsWithARunThatFails() throws Exception {
        loop.start();
        var run = run();
        var stopped = stop();
        run.completeExceptionally(new IllegalStateException("on purpose"));

        stopped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void stoppingTwiceOrBeforeTheStartIsDoneAtOnce() throws Exception {
        stop().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        loop.start();
        run().complete(LONG);
        stop().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        stop().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(runs).isEmpty();
    }

    @Test
    void startingTwiceIsStartingOnce() throws Exception {
        loop.start();
        loop.start();
        var run = run();
        loop.start();
        settle();
        assertThat(runs).isEmpty();
        run.complete(LONG);
    }

    @Test
    void itCanBeStartedAgainAfterItHasStopped() throws Exception {
        loop.start();
        run().complete(LONG);
        stop().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        loop.start();

        run().complete(LONG);
    }

    @Test
    void startingWhileItStopsEndsTheStopFirstAndThenStarts() throws Exception {
        loop.start();
        var run = run();
        var stopped = stop();
        loop.start();
        run.complete(LONG);

        stopped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        run().complete(LONG);
    }

    @Test
    void theLastOfStartAndStopDecidesWhileItStops() throws Exception {
        loop.start();
        var run = run();
        var first = stop();
        loop.start();
        var second = stop();
        run.complete(LONG);

        first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        settle();
        assertThat(runs).isEmpty();
    }

    @Test
    void startsStopsAndWakeUpsFromManyThreadsNeverRunItTwiceAtOnceAndEveryStopEnds() throws Exception {
        var seed = ThreadLocalRandom.current().nextLong();
        System.out.println("LoopTest seed " + seed);
        var running = new AtomicInteger();
        var done = new AtomicInteger();
        var fault = new AtomicReference<String>();
        try (var slow = Executors.newScheduledThreadPool(2);
                var threads = Executors.newFixedThreadPool(6)) {
            var stressed = new Loop(
                    "stressed",
                    () -> {
                        if (running.incrementAndGet() != 1) {
                            fault.set("two runs at once");
                        }
                        var end = new CompletableFuture<Duration>();
                        var _ = slow.schedule(
                                () -> {
                                    done.incrementAndGet();
                                    running.decrementAndGet();
                                    return end.complete(Duration.ofNanos(
                                            ThreadLocalRandom.current().nextInt(200_000)));
                                },
                                ThreadLocalRandom.current().nextInt(200),
                                TimeUnit.MICROSECONDS);
                        return Uni.createFrom().completionStage(end);
                    },
                    timer);
            var all = new ArrayList<CompletableFuture<Void>>();
            for (var thread = 0; thread < 6; thread++) {
                var random = new Random(seed + thread);
                all.add(CompletableFuture.runAsync(
                        () -> {
                            var deadline = System.nanoTime() + PATIENCE.toNanos();
                            while (done.get() < 500 && System.nanoTime() < deadline) {
                                // A breath, so that on a small machine the loop gets to run at all.
                                LockSupport.parkNanos(random.nextInt(100_000));
                                switch (random.nextInt(16)) {
                                    case 0, 1 -> stressed.start();
                                    case 2 -> stressed.stop().await().atMost(PATIENCE);
                                    default -> stressed.wake();
                                }
                            }
                        },
                        threads));
            }
            for (var one : all) {
                one.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            stressed.stop().await().atMost(PATIENCE);
            assertThat(running).hasValue(0);
            var soFar = done.get();
            settle();
            assertThat(done).hasValue(soFar);
            stressed.start();
            stressed.stop().await().atMost(PATIENCE);
        }
        assertThat(fault.get()).isNull();
        assertThat(done.get()).isGreaterThanOrEqualTo(500);
    }
}
