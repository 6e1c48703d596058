package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.Task;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that what became of a task is reported, whatever stands in the way. */
class WorkerReportsTest {
    record Resize(String file, int width) implements Task {}

    private static final Resize TASK = new Resize("a.jpg", 20);

    private final FakeTaskexec server = new FakeTaskexec();

    @AfterEach
    void stop() {
        server.close();
    }

    private Worker.Builder worker() {
        return Worker.of(server.client()).lease(Duration.ofMillis(600)).grace(Duration.ofSeconds(10));
    }

    private static void during(Worker.Builder builder, Runnable steps) {
        var worker = builder.start();
        try {
            steps.run();
        } finally {
            worker.close();
        }
    }

    private Ended run(Handler<Resize> handler) {
        var lease = server.add("resize", TASK);
        during(
                worker().handle(Resize.class, handler),
                () -> until(() -> !server.ended(lease).isEmpty()));
        return server.ended(lease).get(0);
    }

    @Test
    void aTimeThatHasPassedAndOneWithNanosecondsAreReportedInWholeMilliseconds() {
        for (var time : Map.of(Duration.ofNanos(-5), "PT0S", Duration.ofNanos(1_500_001), "PT0.002S")
                .entrySet()) {
            var end = run((task, context) -> {
                throw new RetryableException("Busy.", time.getKey(), null);
            });

            assertThat(end.item().path("error").path("retry_after").asText()).isEqualTo(time.getValue());
        }
    }

    @Test
    void aMessageIsCutBetweenCharactersAndACodeIsCutToo() {
        var end = run((task, context) -> {
            throw new PermanentException("x".repeat(1_999) + "\ud83d\ude00", "C".repeat(200), null);
        });

        assertThat(end.item().path("error").path("message").asText()).isEqualTo("x".repeat(1_999));
        assertThat(end.item().path("error").path("code").asText()).hasSize(128);
    }

    @Test
    void aFailureThatIsRefusedIsReportedWithoutItsParts() {
        server.before(call ->
                call.path().equals("/leases/fail") && call.body().toString().contains("odd")
                        ? Reply.error(400, "INVALID_REQUEST")
                        : null);

        var end = run((task, context) -> {
            throw new PermanentException("odd", "CODE", null);
        });

        assertThat(end.item().path("error").toString())
                .isEqualTo("{\"message\":\"The handler has failed.\",\"permanent\":true}");
    }

    @Test
    void aResultOfWhichTheAnswerCannotBeReadIsReportedAgain() {
        var times = new AtomicInteger();
        server.before(call ->
                call.path().equals("/leases/complete") && times.incrementAndGet() == 1 ? Reply.of(200, "") : null);

        assertThat(run((task, context) -> 1).action()).isEqualTo("complete");
        assertThat(times).hasValue(2);
    }

    @Test
    void whatIsBeingLeasedWhenTheWorkerStopsIsHandedBack() throws InterruptedException {
        var asked = new CountDownLatch(1);
        server.before(call -> {
            if (call.path().equals("/leases") && !call.body().path("full").asBoolean()) {
                asked.countDown();
                takeTime();
            }
            return null;
        });
        var worker = worker().handle(Resize.class, (task, context) -> null).start();
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        var lease = server.add("resize", TASK);

        worker.close();

        until(() -> !server.ended(lease).isEmpty());
    }

    /** As the network does. */
    private static void takeTime() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
