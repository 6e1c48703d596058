package io.taskexec.client.e2e;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.CallbackRequest;
import io.taskexec.client.Query;
import io.taskexec.client.RetryPolicy;
import io.taskexec.client.Task;
import io.taskexec.client.Taskexec;
import io.taskexec.client.TenLines;
import io.taskexec.client.TriggerRule;
import io.taskexec.client.model.Attempt;
import io.taskexec.client.model.ExecutionStatus;
import io.taskexec.client.testing.TaskexecDev;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.client.worker.Worker;
import io.taskexec.client.worker.WorkerBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client and its worker against the real program, with a virtual clock. */
class SdkIT {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration AT_ONCE = Duration.ofSeconds(5);
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);

    record Sum(int a, int b) implements Task {}

    record Total(int value) {}

    record Flaky(int failures) implements Task {}

    record Report(String name) implements Task {}

    record Slow(String name) implements Task {}

    record Yielding(String name) implements Task {}

    record Export(String name) implements Task {}

    record Parent(boolean fails) implements Task {}

    record Child(String name) implements Task {}

    record Many(int number) implements Task {}

    record Moved(String name) implements Task {}

    record Compute(int number) implements Task {}

    record ComputeOnPool(int number) implements Task {}

    private final TaskexecDev server = Program.server();
    private final Taskexec client = server.client();

    private ExecutionStatus status(String id) {
        return client.executions().get(id).status();
    }

    private static String executionOf(io.taskexec.client.model.Job job) {
        return job.jobId().replaceFirst("^job_", "exec_");
    }

    @Test
    void aTaskRunsAndItsResultIsTyped() {
        try (var worker = Worker.of(client)
                .handle(Sum.class, (sum, context) -> new Total(sum.a() + sum.b()))
                .start()) {
            var execution = client.task(new Sum(1, 2)).key("sum").scheduleAndWait(LONG);

            assertThat(execution.status()).isEqualTo(ExecutionStatus.SUCCESS);
            assertThat(execution.result(Total.class)).isEqualTo(new Total(3));
            assertThat(worker.running()).isZero();
        }
    }

    @Test
    void failuresAreRetriedAsThePolicySays() {
        var attempts = new AtomicInteger();
        try (var worker = Worker.of(client)
                .handle(
                        Flaky.class,
                        (task, context) -> {
                            attempts.incrementAndGet();
                            if (context.attempt() <= task.failures()) {
                                throw new IllegalStateException("not yet");
                            }
                            if (task.failures() == 0) {
                                throw new PermanentException("never", "NEVER", null);
                            }
                            return context.attempt();
                        },
                        options -> options.retry(RetryPolicy.fixed(Duration.ofHours(1), 5)))
                .start()) {
            var job = client.task(new Flaky(1)).key("flaky").schedule();
            until(() -> status(executionOf(job)) == ExecutionStatus.RETRYING);
            server.advance(Duration.ofHours(1));

            assertThat(client.executions().await(executionOf(job), LONG).result(Integer.class))
                    .isEqualTo(2);
            var failed = client.task(new Flaky(0)).key("never").scheduleAndWait(LONG);
            assertThat(failed.status()).isEqualTo(ExecutionStatus.FAILED);
            assertThat(failed.error()).isNotNull();
            assertThat(failed.error().message()).contains("never");
            assertThat(failed.attemptCount()).isEqualTo(1);
            assertThat(worker.running()).isZero();
        }
        assertThat(attempts).hasValue(3);
    }

    @Test
    void aScheduleRunsEachDayOfAMonth() {
        var runs = new AtomicInteger();
        try (var worker = Worker.of(client)
                .consume(Report.class, (task, context) -> runs.incrementAndGet())
                .start()) {
            var job =
                    client.task(new Report("daily")).key("daily").dailyAt(2, 30).schedule();
            server.advance(Duration.ofDays(30));

            assertThat(runs).hasValue(30);
            assertThat(client.jobs().executions(job.jobId(), Query.all()).stream())
                    .hasSize(30)
                    .allMatch(execution -> execution.status() == ExecutionStatus.SUCCESS);
            client.jobs().cancel(job.jobId());
            assertThat(worker.running()).isZero();
        }
    }

    @Test
    void aChildSeesTheResultsAndTheFailuresOfItsParents() {
        var seen = new AtomicReference<List<String>>(List.of());
        var result = new AtomicReference<Total>();
        try (var worker = Worker.of(client)
                .handle(Parent.class, (task, context) -> {
                    if (task.fails()) {
                        throw new PermanentException("as asked");
                    }
                    return new Total(7);
                })
                .handle(Child.class, (task, context) -> {
                    seen.set(context.failedParents());
                    result.set(context.parents().get("good").result(Total.class));
                    return null;
                })
                .start()) {
            var good = client.task(new Parent(false)).key("good").schedule();
            var bad = client.task(new Parent(true)).key("bad").schedule();
            var child = client.task(new Child("c"))
                    .key("child")
                    .dependsOn("good", good)
                    .dependsOn("bad", bad)
                    .triggerRule(TriggerRule.ALL_DONE)
                    .scheduleAndWait(LONG);

            assertThat(child.status()).isEqualTo(ExecutionStatus.SUCCESS);
            assertThat(worker.running()).isZero();
        }
        assertThat(seen.get()).containsExactly("bad");
        assertThat(result.get()).isEqualTo(new Total(7));
    }

    @Test
    void progressIsShownAndACancelledTaskIsInterrupted() {
        var isInterrupted = new AtomicBoolean();
        try (var worker = Worker.of(client)
                .lease(SHORTEST_LEASE)
                .consume(Slow.class, (task, context) -> {
                    context.progress(1, 4.0, "a quarter");
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        isInterrupted.set(context.isCancelled());
                        throw e;
                    }
                })
                .start()) {
            var id = executionOf(client.task(new Slow("s")).key("slow").schedule());
            until(() -> client.executions().get(id).progress() != null);
            assertThat(client.executions().get(id).progress().message()).isEqualTo("a quarter");

            client.executions().cancelByForce(id);
            until(isInterrupted::get);
            until(() -> worker.running() == 0);
            assertThat(status(id)).isEqualTo(ExecutionStatus.CANCELLED);
        }
    }

    /** Its lease is not extended for twenty seconds. */
    @Test
    void aFullWorkerYieldsAtOnceToAnUrgentTask() {
        var order = new ConcurrentLinkedQueue<String>();
        var interruptedAt = new AtomicLong();
        try (var worker = Worker.of(client)
                .concurrency(1)
                .consume(
                        Yielding.class,
                        (task, context) -> {
                            order.add(task.name() + " " + context.attempt());
                            if (task.name().equals("slow") && context.attempt() == 1) {
                                try {
                                    new CountDownLatch(1).await();
                                } catch (InterruptedException e) {
                                    interruptedAt.set(System.nanoTime());
                                    throw e;
                                }
                            }
                        },
                        options -> options.endpoint(fields -> fields.set("preemptible", true)))
                .start()) {
            var slow = executionOf(client.task(new Yielding("slow")).key("slow").schedule());
            until(() -> order.size() == 1);
            var start = System.nanoTime();
            client.task(new Yielding("urgent")).key("urgent").priority(0).schedule();

            assertThat(client.executions().await(slow, LONG).status()).isEqualTo(ExecutionStatus.SUCCESS);
            assertThat(interruptedAt.get() - start).isLessThan(AT_ONCE.toNanos());
            assertThat(order).containsExactly("slow 1", "urgent 1", "slow 2");
            assertThat(worker.running()).isZero();
            assertThat(client.executions().attempts(slow))
                    .extracting(Attempt::status)
                    .containsExactly("INTERRUPTED", "SUCCESS");
        }
    }

    @Test
    void aDeferredTaskEndsByItsCallback() {
        var url = new AtomicReference<String>();
        try (var worker = Worker.of(client)
                .consume(
                        Export.class,
                        (task, context) -> {
                            url.set(context.callbackUrl());
                            context.defer(Duration.ofHours(1));
                        },
                        options -> options.endpoint(fields -> fields.callbacks(Duration.ofDays(1))))
                .start()) {
            var id = executionOf(client.task(new Export("e")).key("export").schedule());
            until(() -> status(id) == ExecutionStatus.DEFERRED);
            assertThat(worker.running()).isZero();

            var token = url.get().substring(url.get().lastIndexOf('/') + 1);
            client.callBack(token, CallbackRequest.succeeded(new Total(9)));
            assertThat(client.executions().get(id).result(Total.class)).isEqualTo(new Total(9));
        }
    }

    @Test
    void severalWorkersShareTheTasksAndRunEachOnce() {
        var seen = new ConcurrentLinkedQueue<Integer>();
        var workers = new ArrayList<Worker>();
        for (var i = 0; i < 3; i++) {
            workers.add(Worker.of(client)
                    .concurrency(20)
                    .consume(Many.class, (task, context) -> seen.add(task.number()))
                    .start());
        }
        try {
            var jobs = new ArrayList<io.taskexec.client.JobBuilder>();
            for (var i = 0; i < 500; i++) {
                jobs.add(client.task(new Many(i)).key("many-" + i));
            }
            client.jobs().createAll(jobs);
            until(() -> seen.size() >= 500);
            server.awaitIdle(LONG);
        } finally {
            workers.forEach(Worker::close);
        }
        assertThat(seen).hasSize(500).doesNotHaveDuplicates();
    }

    private static long compute(Duration time) {
        var end = System.nanoTime() + time.toNanos();
        var rounds = 0L;
        while (System.nanoTime() - end < 0) {
            rounds++;
        }
        return rounds;
    }

    /** Of each kind as many at once as there are processors: none is left for anything else. */
    @Test
    void tasksThatComputeForLongerThanTheirLeaseKeepIt() {
        var time = SHORTEST_LEASE.plusSeconds(2);
        var executions = new ArrayList<String>();
        try (var worker = Worker.of(client)
                .lease(SHORTEST_LEASE)
                .handle(Compute.class, (task, context) -> compute(time))
                .handle(ComputeOnPool.class, (task, context) -> compute(time), options -> options.onCpu())
                .start()) {
            for (var i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                executions.add(executionOf(
                        client.task(new Compute(i)).key("compute-" + i).schedule()));
                executions.add(executionOf(
                        client.task(new ComputeOnPool(i)).key("pool-" + i).schedule()));
            }
            for (var id : executions) {
                assertThat(client.executions().await(id, LONG).status()).isEqualTo(ExecutionStatus.SUCCESS);
            }
            assertThat(worker.running()).isZero();
        }
        for (var id : executions) {
            assertThat(client.executions().attempts(id))
                    .extracting(Attempt::status)
                    .containsExactly("SUCCESS");
        }
    }

    @Test
    void aTaskOfAWorkerThatStopsRunsElsewhere() {
        var begun = new CountDownLatch(1);
        var isFirst = new AtomicBoolean(true);
        WorkerBuilder builder = Worker.of(client).consume(Moved.class, (task, context) -> {
            if (isFirst.getAndSet(false)) {
                begun.countDown();
                new CountDownLatch(1).await();
            }
        });
        var first = builder.start();
        var id = executionOf(client.task(new Moved("m")).key("moved").schedule());
        until(() -> begun.getCount() == 0);
        first.stop(Duration.ZERO);

        try (var second = builder.name("second").start()) {
            assertThat(client.executions().await(id, LONG).status()).isEqualTo(ExecutionStatus.SUCCESS);
            assertThat(second.running()).isZero();
        }
        assertThat(client.executions().attempts(id))
                .extracting(Attempt::status)
                .containsExactly("INTERRUPTED", "SUCCESS");
    }

    @Test
    void aKeyOfAWorkerMayWorkForItsEndpointsAlone() {
        try (var registering =
                Worker.of(client).consume(Sum.class, (task, context) -> {}).start()) {
            assertThat(registering.running()).isZero();
        }
        var key = client.keys().createForWorker("summing", List.of("sum"));
        var restricted = Taskexec.connect(server.url(), String.valueOf(key.key()));

        assertThatThrownBy(() -> restricted.task(new Sum(1, 1)).schedule()).hasMessageStartingWith("FORBIDDEN");
        assertThatThrownBy(() -> restricted.leases().acquire("w", List.of("report"), 1, Duration.ZERO, LONG))
                .hasMessageStartingWith("FORBIDDEN");
        try (var worker = Worker.of(restricted)
                .handle(Sum.class, (sum, context) -> new Total(sum.a() + sum.b()))
                .start()) {
            var execution = client.task(new Sum(20, 1)).key("restricted").scheduleAndWait(LONG);
            assertThat(execution.result(Total.class)).isEqualTo(new Total(21));
            assertThat(worker.running()).isZero();
        }
    }

    @Test
    void aPolicyOfAJobBecomesThatOfItsEndpoint() {
        try (var worker =
                Worker.of(client).consume(Report.class, (task, context) -> {}).start()) {
            client.task(new Report("r"))
                    .retry(RetryPolicy.fixed(Duration.ofSeconds(7), 4))
                    .scheduleAndWait(LONG);

            var policy = client.endpoints().get("report").retryPolicy();
            assertThat(policy.maxAttempts()).isEqualTo(4);
            assertThat(policy.initialDelayMs()).isEqualTo(7_000);
            assertThat(worker.running()).isZero();
        }
    }

    @Test
    void eventsAreFollowed() {
        try (var events = client.events().follow(Query.where("endpoint", "child"));
                var worker = Worker.of(client)
                        .consume(Child.class, (task, context) -> {})
                        .start()) {
            var types = new ConcurrentLinkedQueue<String>();
            var reader = new Thread(() -> events.forEachRemaining(event -> types.add(event.type())));
            reader.start();
            // The first ones may be created before the stream has begun.
            until(() -> {
                client.task(new Child("followed")).scheduleAndWait(LONG);
                return types.contains("io.taskexec.execution.succeeded");
            });
            assertThat(worker.running()).isZero();
        }
    }

    @Test
    void theTenLinesOfTheReadmeRun(@TempDir Path directory) throws Exception {
        try (var program = TenLines.start(directory, server.url(), server.apiKey())) {
            assertThat(program.line()).isEqualTo("Hello, Ada");
            until(() -> server.executions("greet").get(0).status() == ExecutionStatus.SUCCESS);
            assertThat(program.stop()).isTrue();
        }
    }
}
