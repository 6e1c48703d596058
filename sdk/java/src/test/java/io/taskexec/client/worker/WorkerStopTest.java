package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.Task;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that a worker stops soon, whichever thread asks for it, and loses no result. */
class WorkerStopTest {
    /** Longer than a test waits for an event. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    record Resize(String file) implements Task {}

    private static final Resize TASK = new Resize("a.jpg");

    private final FakeTaskexec server = new FakeTaskexec();
    private final CompletableFuture<Worker> started = new CompletableFuture<>();

    @AfterEach
    void stop() {
        server.close();
    }

    private WorkerBuilder worker() {
        return Worker.of(server.client()).grace(GRACE);
    }

    @Test
    void anIdleWorkerStopsWithoutWaitingForItsRequests() {
        server.waitAsAsked();
        var worker = worker().handle(Resize.class, (task, context) -> null)
                .handle("compute", Resize.class, (task, context) -> null, options -> options.onCpu())
                .cpuConcurrency(2)
                .start();
        until(() -> server.polls().size() == 4);
        var before = System.nanoTime();

        worker.close();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(3));
    }

    private void assertClosedBy(Handler<Resize> handler) {
        var lease = server.add("resize", TASK);
        try (var worker = worker().handle(Resize.class, handler).start()) {
            started.complete(worker);
            until(() -> !server.ended(lease).isEmpty());
        }
        assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("complete");
        assertThat(server.ended(lease).get(0).item().path("output").asText()).isEqualTo("done");
    }

    @Test
    void aHandlerThatClosesItsWorkerIsNotWaitedForByItself() {
        assertClosedBy((task, context) -> {
            started.join().close();
            return Thread.currentThread().isInterrupted() ? "interrupted" : "done";
        });
    }

    @Test
    void aHandlerMayCloseItsWorkerFromThePoolForWhatComputes() {
        assertClosedBy((task, context) -> context.onCpu(() -> {
            started.join().close();
            return "done";
        }));
    }

    @Test
    void theThreadThatStopsAWorkerMayBeInterruptedWithoutHarmToItsTasks() {
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var lease = server.add("resize", TASK);
        var worker = worker().handle(Resize.class, (task, context) -> {
                    begun.countDown();
                    mayEnd.await();
                    return "done";
                })
                .start();
        until(() -> begun.getCount() == 0);

        Thread.currentThread().interrupt();
        worker.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(server.ended()).isEmpty();
        mayEnd.countDown();
        worker.close();
        assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("complete");
    }
}
