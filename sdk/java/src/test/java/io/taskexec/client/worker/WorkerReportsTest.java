package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.taskexec.client.Json;
import io.taskexec.client.StubServer.Call;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.api.Leases;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that what became of a task is reported, whatever stands in the way. */
class WorkerReportsTest extends ResizeWorker {
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

    private static JsonNode progress(Call extension) {
        return extension.body().path("leases").path(0).path("progress");
    }

    @Test
    void aMessageOfProgressIsCut() {
        var end = run((task, context) -> {
            context.progress(1, 2.0, "x".repeat(3_000));
            until(() ->
                    server.extensions().stream().anyMatch(call -> progress(call).has("message")));
            return null;
        });

        assertThat(end.action()).isEqualTo("complete");
        assertThat(server.extensions())
                .filteredOn(call -> progress(call).has("message"))
                .allMatch(call -> progress(call).path("message").asText().length() == 1_024);
    }

    @Test
    void leasesAreExtendedWithoutProgressThatIsTooLong() {
        server.before(
                call -> call.path().equals("/leases/extend") && !progress(call).isMissingNode()
                        ? Reply.error(413, "PAYLOAD_TOO_LARGE")
                        : null);

        var end = run((task, context) -> {
            context.progress(1, 2.0, "half");
            until(() -> !server.extensions().isEmpty());
            return null;
        });

        assertThat(end.action()).isEqualTo("complete");
    }

    @Test
    void progressThatIsRefusedTakesNoOtherAlong() {
        server.before(call ->
                call.path().equals("/leases/extend") && call.body().toString().contains("refused")
                        ? Reply.error(400, "INVALID_REQUEST")
                        : null);
        for (var i = 0; i < 5; i++) {
            server.add("resize", new Resize("a.jpg", i));
        }
        during(
                worker().handle(Resize.class, (task, context) -> {
                    context.progress(task.width(), 10, task.width() == 3 ? "refused" : "taken");
                    until(() -> reported().equals(Set.of(0, 1, 2, 4)));
                    return null;
                }),
                () -> until(() -> reported().equals(Set.of(0, 1, 2, 4))));
    }

    /** Returns how far tasks are that the server has been told of. */
    private Set<Integer> reported() {
        return server.extensions().stream()
                .flatMap(call -> call.body().path("leases").findValues("progress").stream())
                .map(progress -> progress.path("current").asInt())
                .collect(toSet());
    }

    @Test
    void moreThanAllAndLessThanNothingAreReportedAsTheServerTakesThem() {
        var end = run((task, context) -> {
            context.progress(11, 10, "more");
            until(() -> server.extensions().stream()
                    .anyMatch(call -> progress(call).path("current").asInt() == 10));
            context.progress(-1, 1e16);
            until(() -> server.extensions().stream()
                    .anyMatch(call -> progress(call).path("total").asDouble() == 1e15
                            && progress(call).path("current").asInt() == 0));
            return null;
        });

        assertThat(end.action()).isEqualTo("complete");
    }

    /** Fails to say what it is. */
    private static final class Mute extends PermanentException {
        private static final long serialVersionUID = 1;

        Mute() {
            super("");
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    @Test
    void anExceptionThatFailsToSayWhatItIsIsReportedWithoutItsParts() {
        var end = run((task, context) -> {
            throw new Mute();
        });

        assertThat(end.item().path("error").toString())
                .isEqualTo("{\"message\":\"The handler has failed.\",\"permanent\":true}");
    }

    @Test
    void aResultThatIsNoJsonFailsTheExecution() {
        var end = run((task, context) -> new Object());

        assertThat(end.item().path("error").path("code").asText()).isEqualTo("RESULT_REFUSED");
        assertThat(end.item().path("error").path("permanent").asBoolean()).isTrue();
    }

    @Test
    void aResultThatContainsItselfFailsTheExecution() {
        var end = run((task, context) -> {
            var result = new HashMap<String, Object>();
            result.put("itself", result);
            return result;
        });

        assertThat(end.item().path("error").path("code").asText()).isEqualTo("RESULT_REFUSED");
        assertThat(end.item().path("error").path("permanent").asBoolean()).isTrue();
    }

    @Test
    void aDeferralThatIsRefusedFailsTheTaskAndStopsNoOtherReport() {
        server.before(call -> call.path().equals("/leases/defer") ? Reply.error(422, "PUBLIC_URL_REQUIRED") : null);
        var deferred = server.add("resize", TASK, 4, Map.of("callback_url", "http://x/callbacks/t"));
        var other = server.add("resize", TASK);
        during(
                worker().handle(Resize.class, (task, context) -> {
                    if (context.callbackUrl() != null) {
                        context.defer(null);
                    }
                    return null;
                }),
                () -> until(() -> server.ended().size() == 2));

        assertThat(server.ended(other)).extracting(Ended::action).containsExactly("complete");
        assertThat(server.ended(deferred)).extracting(Ended::action).containsExactly("fail");
        assertThat(server.ended(deferred)
                        .get(0)
                        .item()
                        .path("error")
                        .path("code")
                        .asText())
                .isEqualTo("RESULT_REFUSED");
    }

    @Test
    void aResultOnWhichTheServerFailsStopsNoOtherReport() {
        server.before(call ->
                call.path().equals("/leases/complete") && call.body().toString().contains("bad")
                        ? Reply.error(500, "INTERNAL")
                        : null);
        var allBegun = new CountDownLatch(4);
        var bad = server.add("resize", new Resize("bad", 1));
        for (var i = 0; i < 2; i++) {
            server.add("resize", TASK);
        }
        var failed = server.add("resize", new Resize("failed", 1));
        during(
                worker().handle(Resize.class, (task, context) -> {
                    allBegun.countDown();
                    allBegun.await();
                    if (task.file().equals("failed")) {
                        throw new IllegalStateException("no");
                    }
                    return task.file();
                }),
                () -> {
                    until(() -> server.ended().size() == 3);
                    assertThat(server.ended(failed)).extracting(Ended::action).containsExactly("fail");
                    assertThat(server.held()).containsExactly(bad);
                    server.before(call -> null);
                });

        assertThat(server.ended(bad)).extracting(Ended::action).containsExactly("complete");
    }

    @Test
    void reportsOfOneTaskStayInTheirOrderWhenTheFirstOneIsNotTakenAtOnce() {
        var releases = new AtomicInteger();
        server.before(call -> call.path().equals("/leases/release") && releases.incrementAndGet() < 3
                ? Reply.error(503, "UNAVAILABLE")
                : null);
        var lease = server.add("resize", TASK);
        var leases = new Leases(server.client().http().withPatience(Duration.ZERO));
        var minute = Duration.ofMinutes(1);
        var leased =
                leases.acquire("worker", List.of("resize"), 1, minute, minute).leases();
        var held = new HeldLeases();
        var type = new TaskType<>("resize", Resize.class, (task, context) -> null, new HandlerOptions<>());
        held.add(new RunningTask(leased.get(0), type, new Environment(Json.data(), List.of(), new CpuPool(1))));
        var reports = new Reports(leases, held);
        reports.add(new Report.Released(lease));
        reports.start();
        until(() -> releases.get() > 0);

        reports.add(new Report.Completed(lease, null, 0));
        reports.flush(minute);

        assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("release");
    }

    @Test
    void aResultIsMeasuredInTheFormInWhichItIsSent() {
        var lease = server.add("resize", TASK);
        var leases = new Leases(server.client().http());
        var minute = Duration.ofMinutes(1);
        var leased =
                leases.acquire("worker", List.of("resize"), 1, minute, minute).leases();
        var type = new TaskType<>(
                "resize", Resize.class, (task, context) -> Collections.nCopies(30_000, 1), new HandlerOptions<>());
        var indenting = Json.data().copy().enable(SerializationFeature.INDENT_OUTPUT);

        var report = new RunningTask(leased.get(0), type, new Environment(indenting, List.of(), new CpuPool(1))).run();

        assertThat(report).isInstanceOfSatisfying(Report.Completed.class, completed -> {
            assertThat(completed.lease()).isEqualTo(lease);
            assertThat(completed.outputSize()).isEqualTo(60_001);
        });
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
        var isFirst = new AtomicBoolean(true);
        server.before(call -> {
            if (call.path().equals("/leases") && !call.body().path("full").asBoolean()) {
                asked.countDown();
                until(WorkerReportsTest::isStopping);
                if (isFirst.getAndSet(false)) {
                    server.add("resize", TASK);
                }
            }
            return null;
        });
        var worker = worker().handle(Resize.class, (task, context) -> null).start();
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();

        worker.close();

        assertThat(server.ended()).extracting(Ended::action).containsExactly("release");
    }

    /** Whether a worker has been told to stop, and waits for the answers that are under way. */
    static boolean isStopping() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread ->
                        thread.getName().equals("taskexec-stop") && thread.getState() == Thread.State.TIMED_WAITING);
    }
}
