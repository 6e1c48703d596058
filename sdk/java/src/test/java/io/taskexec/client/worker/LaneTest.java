package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.Json;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.Task;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that no task stays leased when it cannot be started. */
class LaneTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    record Copy(long bytes) implements Task {}

    private final FakeTaskexec server = new FakeTaskexec();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aTaskForWhichThereIsNoThreadIsHandedBackWithItsSlotAndItsRoom() {
        var refusals = new AtomicInteger();
        Executor threads = run -> {
            if (refusals.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            run.run();
        };
        var options = new HandlerOptions<Copy>().footprint(task -> Footprint.disk(task.bytes(), 0));
        var type = new TaskType<>("copy", Copy.class, (task, context) -> "done", options);
        var leases = server.client().leases();
        var held = new HeldLeases();
        var reports = new Reports(leases, held);
        var gate = new ResourceGate(
                new ResourceMonitor(() -> new ResourceReader.Reading(0, 0, 0, 0, 0), System::nanoTime));
        var shared = new Lane.Shared(
                new Lane.Settings("worker", Duration.ofMinutes(1)),
                leases,
                held,
                reports,
                gate,
                new Throttle(List.of()),
                new Environment(Json.data(), List.of(), new CpuPool(1)));
        var lane = new Lane("lane", shared, threads, 1, List.of(type));
        var first = server.add("copy", new Copy(1));
        reports.start();
        lane.start();

        until(() -> !server.ended(first).isEmpty());
        var second = server.add("copy", new Copy(1));
        until(() -> !server.ended(second).isEmpty());
        lane.stop(PATIENCE);
        reports.stop(PATIENCE);

        assertThat(server.ended(first)).extracting(Ended::action).containsExactly("release");
        assertThat(server.ended(second)).extracting(Ended::action).containsExactly("complete");
        assertThat(lane.running()).isZero();
    }

    @Test
    void oneLeaseThatCannotBeTakenKeepsTheOthersOfItsBatchFromNothing() {
        var isFirst = new AtomicBoolean(true);
        server.before(call -> call.path().equals("/leases") && isFirst.getAndSet(false)
                ? Reply.of(200, "{\"leases\": [%s, %s], \"cancelled\": []}".formatted(lease("unknown"), lease("copy")))
                : null);
        var runs = new AtomicInteger();
        var worker = Worker.of(server.client())
                .consume(Copy.class, (task, context) -> runs.incrementAndGet())
                .start();
        try (worker) {
            until(() -> runs.get() == 1);
        }
    }

    private static String lease(String endpoint) {
        return Json.sent(Map.of(
                        "lease", "of " + endpoint, "endpoint", endpoint, "attempt", 1, "input", Map.of("bytes", 1)))
                .toString();
    }

    @Test
    void aMeasureOfPressureThatFailsHoldsNoTaskBack() {
        var worker = Worker.of(server.client())
                .throttle(() -> {
                    throw new IllegalStateException("no measure");
                })
                .consume(Copy.class, (task, context) -> {})
                .start();
        try (worker) {
            var lease = server.add("copy", new Copy(1));
            until(() -> !server.ended(lease).isEmpty());
            assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("complete");
        }
    }

    @Test
    void aTaskWithoutAFootprintWhereOneIsAskedForRuns() {
        var worker = Worker.of(server.client())
                .consume(Copy.class, (task, context) -> {}, options -> options.footprint(LaneTest::nothing))
                .start();
        try (worker) {
            var lease = server.add("copy", new Copy(1));
            until(() -> !server.ended(lease).isEmpty());
            assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("complete");
        }
    }

    /** As code without checks for null may return. */
    @SuppressWarnings("NullAway")
    private static Footprint nothing(Copy task) {
        return null;
    }
}
