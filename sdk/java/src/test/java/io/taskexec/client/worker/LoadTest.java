package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.Task;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers on a machine that has much to do. */
class LoadTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final long MB = 1_000_000;

    record Compute(int millis) implements Task {}

    record Copy(long bytes) implements Task {}

    private final FakeTaskexec server = new FakeTaskexec();

    @AfterEach
    void stop() {
        server.close();
    }

    private static long compute(int millis) {
        var end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        var rounds = 0L;
        while (System.nanoTime() - end < 0) {
            rounds++;
        }
        return rounds;
    }

    /** On both pools, so that all carriers of virtual threads are taken too. */
    @Test
    void tasksThatComputeDoNotDelayTheRenewalOfLeases() {
        for (var i = 0; i < 2 * PROCESSORS; i++) {
            server.add("compute", new Compute(4_000));
            server.add("on-pool", new Compute(4_000));
        }
        var worker = Worker.of(server.client())
                .shortLease(LEASE)
                .handle(Compute.class, (task, context) -> compute(task.millis()))
                .handle("on-pool", Compute.class, (task, context) -> compute(task.millis()), options -> options.onCpu())
                .start();
        try (worker) {
            until(() -> server.ended().size() >= 3 * PROCESSORS);
        }
        var times = server.extensions().stream().mapToLong(call -> call.at()).toArray();
        var longest = 0L;
        for (var i = 1; i < times.length; i++) {
            longest = Math.max(longest, times[i] - times[i - 1]);
        }
        assertThat(times.length).isGreaterThan(3);
        // A third of the lease and half of that until the thread looks; the rest is for slow machines.
        assertThat(Duration.ofNanos(longest)).isLessThan(LEASE);
        assertThat(server.ended()).extracting(Ended::action).doesNotContain("release");
    }

    @Test
    void thePoolForWhatComputesHasAsManyThreadsAsItIsTold() {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        for (var i = 0; i < 20; i++) {
            server.add("compute", new Compute(10));
        }
        var worker = Worker.of(server.client())
                .cpuConcurrency(2)
                .consume(
                        Compute.class,
                        (task, context) -> context.onCpu(() -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            var result = context.onCpu(() -> compute(task.millis()));
                            running.decrementAndGet();
                            return result;
                        }))
                .start();
        try (worker) {
            until(() -> server.ended().size() == 20);
        }
        assertThat(server.ended()).extracting(Ended::action).containsOnly("complete");
        assertThat(most.get()).isLessThanOrEqualTo(2);
    }

    @Test
    void tasksWithAFootprintWaitForRoomAndOthersDoNot() {
        var mayEnd = new CountDownLatch(1);
        var running = new AtomicInteger();
        for (var i = 0; i < 6; i++) {
            server.add("copy", new Copy(100 * MB));
        }
        var worker = Worker.of(server.client())
                // A disk that has stood still so far.
                .resources(() -> new ResourceReader.Reading(0, 0, 0, 0, 0))
                .consume(
                        Copy.class,
                        (task, context) -> {
                            running.incrementAndGet();
                            mayEnd.await();
                        },
                        options -> options.footprint(task -> Footprint.disk(task.bytes(), 0)))
                .consume(Compute.class, (task, context) -> {})
                .start();
        try (worker) {
            until(() -> running.get() == 1);
            var small = server.add("compute", new Compute(1));
            until(() -> !server.ended(small).isEmpty());

            assertThat(running).hasValue(1);
            assertThat(server.held().size()).isLessThanOrEqualTo(4);
            mayEnd.countDown();
            until(() -> server.ended().size() == 7);
        }
        assertThat(server.ended()).extracting(Ended::action).containsOnly("complete");
    }

    @Test
    void underPressureUrgentTasksAloneAreAskedFor() {
        var pressure = new AtomicReference<>(0.8);
        var usual = server.add("compute", new Compute(1), 4, Map.of());
        var urgent = server.add("compute", new Compute(1), 1, Map.of());
        var worker = Worker.of(server.client())
                .throttle(pressure::get)
                .consume(Compute.class, (task, context) -> {})
                .start();
        try (worker) {
            until(() -> !server.ended(urgent).isEmpty());
            var polls = server.polls().size();
            until(() -> server.polls().size() > polls + 1);
            assertThat(server.ended(usual)).isEmpty();
            assertThat(server.held()).isEmpty();

            pressure.set(0.0);
            until(() -> !server.ended(usual).isEmpty());
        }
        assertThat(server.ended()).extracting(Ended::action).containsOnly("complete");
        assertThat(server.polls().get(0).body().path("least_urgent").asInt()).isEqualTo(2);
    }

    @Test
    void whileTheProcessorsAreInUseUrgentTasksAloneAreAskedFor() {
        var worker = Worker.of(server.client())
                .throttleByCpu()
                .resources(() -> new ResourceReader.Reading(0.9, -1, -1, -1, -1))
                .consume(Compute.class, (task, context) -> {})
                .start();
        try (worker) {
            until(() -> server.polls().stream()
                    .anyMatch(poll -> poll.body().path("least_urgent").asInt(7) == 2));
        }
    }

    @Test
    void whatComesWhenThePressureHasRisenIsHandedBack() {
        var pressure = new AtomicReference<>(0.0);
        var lease = new AtomicReference<String>();
        server.before(call -> {
            if (call.path().equals("/leases") && pressure.get() == 0) {
                pressure.set(1.0);
                lease.set(server.add("compute", new Compute(1), 1, Map.of()));
            }
            return null;
        });
        var worker = Worker.of(server.client())
                .throttle(pressure::get)
                .consume(Compute.class, (task, context) -> {})
                .start();
        try (worker) {
            until(() -> !server.ended().isEmpty());
        }
        assertThat(server.ended(lease.get())).extracting(Ended::action).containsExactly("release");
    }

    @Test
    void tasksRunOnVirtualThreadsWhereThereAreSome() {
        var names = new java.util.concurrent.ConcurrentLinkedQueue<String>();
        server.add("compute", new Compute(1));
        var worker = Worker.of(server.client())
                .consume(
                        Compute.class,
                        (task, context) -> names.add(Thread.currentThread().toString()))
                .start();
        try (worker) {
            until(() -> server.ended().size() == 1);
        }
        assertThat(names.peek()).contains(Runtime.version().feature() >= 21 ? "VirtualThread" : "taskexec-task");
    }
}
