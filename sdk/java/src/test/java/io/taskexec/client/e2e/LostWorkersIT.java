package io.taskexec.client.e2e;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.Taskexec;
import io.taskexec.client.e2e.WorkerProcess.Hold;
import io.taskexec.client.model.Attempt;
import io.taskexec.client.model.ExecutionStatus;
import io.taskexec.client.testing.TaskexecDev;
import io.taskexec.client.worker.TaskConsumer;
import io.taskexec.client.worker.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that freeze, die or lose the network: every task is done, and none is recorded twice. */
class LostWorkersIT {
    private static final int TASKS = Integer.getInteger("taskexec.lost-worker-tasks", 20);
    private static final Duration LONG_TASK = Duration.ofSeconds(12);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final TaskexecDev server = Program.server();
    private final Taskexec client = server.client();

    @TempDir
    private Path directory;

    @BeforeEach
    void register() {
        worker(client, 1, (task, context) -> {}).close();
    }

    private static Worker worker(Taskexec client, int slots, TaskConsumer<Hold> handler) {
        return Worker.of(client)
                .concurrency(slots)
                .lease(WorkerProcess.LEASE)
                .grace(Duration.ZERO)
                .consume(Hold.class, handler)
                .start();
    }

    private WorkerProcess process(int slots) throws IOException {
        return WorkerProcess.start(directory, server.url(), server.apiKey(), slots);
    }

    /** Returns the executions. */
    private List<String> create(int count, boolean held) {
        return create(count, held, 0);
    }

    private List<String> create(int count, boolean held, long millis) {
        return IntStream.range(0, count)
                .mapToObj(i -> client.task(new Hold(i, held, millis))
                        .key("hold-" + NUMBERS.incrementAndGet())
                        .schedule()
                        .jobId()
                        .replaceFirst("^job_", "exec_"))
                .toList();
    }

    private void awaitAll(Collection<String> executions) {
        until(() ->
                executions.stream().allMatch(id -> client.executions().get(id).status() == ExecutionStatus.SUCCESS));
    }

    private List<String> attempts(String execution) {
        return client.executions().attempts(execution).stream()
                .map(Attempt::status)
                .toList();
    }

    @Test
    void aFrozenWorkerLosesWhatAnotherOneHasTakenAndNothingElse() throws IOException, InterruptedException {
        var mayEnd = new CountDownLatch(1);
        var taken = new ConcurrentLinkedQueue<String>();
        try (var frozen = process(4)) {
            var executions = create(4, true);
            until(() -> frozen.lines("begun ").size() == 4);
            frozen.freeze();

            try (var other = worker(client, 2, (task, context) -> {
                taken.add(context.executionId());
                mayEnd.await();
            })) {
                until(() -> taken.size() == 2);
                frozen.thaw();
                until(() -> taken.stream()
                        .allMatch(id -> frozen.lines(id).stream().anyMatch(line -> line.contains("was lost"))));
                frozen.letEnd();
                var kept = executions.stream().filter(id -> !taken.contains(id)).toList();
                awaitAll(kept);
                assertThat(kept).hasSize(2).allSatisfy(id -> {
                    assertThat(attempts(id)).containsExactly("SUCCESS");
                    assertThat(frozen.lines(id)).hasSize(1);
                });
                assertThat(taken).allSatisfy(id -> assertThat(attempts(id)).containsExactly("LOST", "RUNNING"));

                mayEnd.countDown();
                awaitAll(taken);
                assertThat(other.running()).isZero();
            }
            assertThat(taken).allSatisfy(id -> assertThat(attempts(id)).containsExactly("LOST", "SUCCESS"));
            awaitAll(create(4, false));
            assertThat(frozen.lines("begun ")).hasSize(8);
            assertThat(frozen.isAlive()).isTrue();
        }
    }

    /** Its handlers end by the clock, so at once when it goes on, before it has heard of its losses. */
    @Test
    void theResultsOfAWorkerThatWasFrozenForTooLongAreRefused() throws IOException, InterruptedException {
        var taken = new ConcurrentLinkedQueue<String>();
        try (var frozen = process(TASKS)) {
            var executions = create(TASKS, false, LONG_TASK.toMillis());
            until(() -> frozen.lines("begun ").size() == TASKS);
            frozen.freeze();
            var frozenAt = System.nanoTime();

            try (var other = worker(client, TASKS, (task, context) -> taken.add(context.executionId()))) {
                awaitAll(executions);
                assertThat(other.running()).isZero();
            }
            until(() -> System.nanoTime() - frozenAt > LONG_TASK.toNanos());
            frozen.thaw();

            until(() -> frozen.lines("was not taken").stream().anyMatch(line -> line.contains("LEASE_LOST")));
            awaitAll(create(1, false));
            assertThat(frozen.lines("begun ")).hasSize(TASKS + 1);
            assertThat(taken).containsExactlyInAnyOrderElementsOf(executions);
            assertThat(executions).allSatisfy(id -> assertThat(attempts(id)).containsExactly("LOST", "SUCCESS"));
        }
    }

    @Test
    void theTasksOfAKilledWorkerRunElsewhere() throws IOException, InterruptedException {
        try (var killed = process(4)) {
            var executions = create(8, true);
            until(() -> killed.lines("begun ").size() == 4);
            killed.kill();

            try (var other = worker(client, 8, (task, context) -> {})) {
                awaitAll(executions);
                assertThat(other.running()).isZero();
            }
            var begun = killed.lines("begun ").stream()
                    .map(line -> line.replace("begun ", ""))
                    .toList();
            assertThat(executions)
                    .allSatisfy(id -> assertThat(attempts(id))
                            .isEqualTo(begun.contains(id) ? List.of("LOST", "SUCCESS") : List.of("SUCCESS")));
        }
    }

    @Test
    void aWorkerWithoutANetworkLosesItsTasksAndGoesOnWhenItIsBack() throws IOException {
        var never = new CountDownLatch(1);
        var begun = new ConcurrentLinkedQueue<String>();
        var interrupted = new ConcurrentLinkedQueue<String>();
        try (var network = new Network(server.url());
                var cutOff = worker(Taskexec.connect(network.url(), server.apiKey()), 4, (task, context) -> {
                    begun.add(context.executionId());
                    if (task.held()) {
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            interrupted.add(context.executionId());
                            throw e;
                        }
                    }
                })) {
            var held = create(3, true);
            until(() -> begun.containsAll(held));
            // The worker's one free slot asks for a task, now or soon, and does not hear which one it has got.
            network.loseAnswers();
            var others = create(2, true);
            until(() -> others.stream().anyMatch(id -> attempts(id).equals(List.of("RUNNING"))));
            network.cut();

            try (var other = worker(client, 4, (task, context) -> {})) {
                awaitAll(held);
                awaitAll(others);
                assertThat(other.running()).isZero();
            }
            assertThat(begun).containsExactlyInAnyOrderElementsOf(held);
            assertThat(others.stream().map(this::attempts))
                    .containsExactlyInAnyOrder(List.of("LOST", "SUCCESS"), List.of("SUCCESS"));
            assertThat(held).allSatisfy(id -> assertThat(attempts(id)).containsExactly("LOST", "SUCCESS"));

            network.restore();
            until(() -> interrupted.containsAll(held));
            var later = create(1, false);
            awaitAll(later);
            assertThat(begun).containsAll(later);
            assertThat(held).allSatisfy(id -> assertThat(attempts(id)).containsExactly("LOST", "SUCCESS"));
            until(() -> cutOff.running() == 0);
        }
    }
}
