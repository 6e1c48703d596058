package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.RetryPolicy;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class WorkerTest extends ResizeWorker {
    record Image(String name, int pixels) {}

    @Test
    void aHandlerGetsATypedTaskAndReturnsATypedResult() {
        var end = run((task, context) -> new Image(task.file() + " " + context.executionId(), task.width()));

        assertThat(end.action()).isEqualTo("complete");
        assertThat(end.item().path("output").toString()).isEqualTo("{\"name\":\"a.jpg exec_1\",\"pixels\":20}");
    }

    @Test
    void aHandlerWithoutAResultIsAConsumer() {
        var files = ConcurrentHashMap.<String>newKeySet();
        var lease = server.add("resize", TASK);
        during(worker().consume(Resize.class, (task, context) -> files.add(task.file())), () -> {
            until(() -> !server.ended(lease).isEmpty());
        });
        assertThat(files).containsExactly("a.jpg");
        assertThat(server.ended(lease).get(0).item().has("output")).isFalse();
    }

    @Test
    void endpointsAreRegistered() {
        during(worker().handle(Resize.class, (task, context) -> null), () -> {
            assertThat(server.registered()).containsExactly("resize");
        });
    }

    @Test
    void aKeyThatMayNotRegisterWorksOnEndpointsThatExist() {
        server.before(call -> call.path().startsWith("/endpoints") ? Reply.error(403, "FORBIDDEN") : null);

        assertThat(run((task, context) -> 1).action()).isEqualTo("complete");
    }

    @Test
    void anEndpointOfAnotherTypeIsNotTouched() {
        server.before(call -> call.method().equals("GET")
                ? Reply.of(
                        200, "{\"name\": \"resize\", \"type\": \"HTTP\", \"spec\": {\"url\": \"x\"}, \"version\": 3}")
                : null);

        assertThatThrownBy(() ->
                        worker().handle(Resize.class, (task, context) -> null).start())
                .hasMessage("The endpoint 'resize' has the type HTTP.");
    }

    @Test
    void fieldsOfAnEndpointThatDifferAreChanged() {
        var put = new AtomicInteger();
        server.before(call -> {
            if (call.path().startsWith("/endpoints/") && call.method().equals("GET")) {
                return new Reply(200, """
                        {"name": "resize", "type": "WORKER", "spec": {}, "version": 3,
                         "created_at": "x", "updated_at": "y",
                         "retry_policy": {"max_attempts": 3, "backoff": "fixed"}}""", Map.of("ETag", "\"t\""));
            }
            if (call.method().equals("PUT")) {
                put.incrementAndGet();
                assertThat(call.header("If-match")).isEqualTo("\"t\"");
                assertThat(call.body().toString())
                        .isEqualTo("{\"name\":\"resize\",\"type\":\"WORKER\",\"spec\":{},"
                                + "\"retry_policy\":{\"max_attempts\":1,\"backoff\":\"fixed\"}}");
                return Reply.of(200, "{}");
            }
            return null;
        });
        during(worker().handle(Resize.class, (task, context) -> null), () -> {
            assertThat(put).hasValue(0);
        });
        during(
                worker().handle(Resize.class, (task, context) -> null, options -> options.retry(RetryPolicy.never())),
                () -> {
                    assertThat(put).hasValue(1);
                });
    }

    @Test
    void anExceptionFailsTheAttempt() {
        var end = run((task, context) -> {
            throw new java.io.IOException("no route");
        });

        assertThat(end.action()).isEqualTo("fail");
        assertThat(end.item().path("error").toString())
                .isEqualTo("{\"message\":\"java.io.IOException: no route\",\"permanent\":false}");
    }

    @Test
    void aPermanentExceptionFailsTheExecution() {
        var end = run((task, context) -> {
            throw new PermanentException("No such file.", "NO_FILE", null);
        });

        assertThat(end.item().path("error").toString())
                .isEqualTo("{\"message\":\"No such file.\",\"code\":\"NO_FILE\",\"permanent\":true}");
    }

    @Test
    void aRetryableExceptionSaysWhenToTryAgain() {
        var end = run((task, context) -> {
            throw new RetryableException("Busy.", Duration.ofSeconds(30), null);
        });

        assertThat(end.item().path("error").toString())
                .isEqualTo("{\"message\":\"Busy.\",\"permanent\":false,\"retry_after\":\"PT30S\"}");
    }

    @Test
    void anInputOfAnotherShapeFailsTheExecution() {
        var lease = server.add("resize", Map.of("width", "wide"));
        during(worker().handle(Resize.class, (task, context) -> null), () -> {
            until(() -> !server.ended(lease).isEmpty());
        });
        assertThat(server.ended(lease).get(0).item().path("error").path("code").asText())
                .isEqualTo("INVALID_INPUT");
        assertThat(server.ended(lease)
                        .get(0)
                        .item()
                        .path("error")
                        .path("permanent")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aResultThatIsTooLargeFailsTheExecution() {
        var end = run((task, context) -> "x".repeat(65_536));

        assertThat(end.item().path("error").path("code").asText()).isEqualTo("OUTPUT_TOO_LARGE");
    }

    @Test
    void aHandlerDefersATaskToACallback() {
        var url = "http://x/callbacks/t";
        var end = run(
                (task, context) -> {
                    assertThat(context.callbackUrl()).isEqualTo(url);
                    context.defer(Duration.ofHours(2));
                    return null;
                },
                Map.of("callback_url", url));

        assertThat(end.action()).isEqualTo("defer");
        assertThat(end.item().path("timeout").asText()).isEqualTo("PT2H");
    }

    @Test
    void withoutCallbacksNothingIsDeferred() {
        var end = run((task, context) -> {
            context.defer(null);
            return null;
        });

        assertThat(end.item().path("error").path("message").asText()).contains("has no callbacks");
    }

    @Test
    void aHandlerSeesHowItsParentsHaveEnded() {
        var parents = Map.of(
                "upload", Map.of("status", "SUCCESS", "output", Map.of("json", Map.of("name", "u", "pixels", 7))),
                "check", Map.of("status", "FAILED", "error", Map.of("type", "TASK_FAILED", "message", "no")));
        var end = run(
                (task, context) -> {
                    var upload = Objects.requireNonNull(context.parents().get("upload"));
                    assertThat(upload.result(Image.class)).isEqualTo(new Image("u", 7));
                    assertThat(context.failedParents()).containsExactly("check");
                    context.requireParents();
                    return null;
                },
                Map.of("parents", parents));

        assertThat(end.item().path("error").path("code").asText()).isEqualTo("DEPENDENCY_FAILED");
        assertThat(end.item().path("error").path("message").asText()).isEqualTo("These have not succeeded: check");
    }

    @Test
    void handlersShareStateByItsType() {
        record Mailer(String host) {}
        var lease = server.add("resize", TASK);
        during(
                worker().state(new Mailer("mx1"))
                        .handle(
                                Resize.class,
                                (task, context) -> context.state(Mailer.class).host()),
                () -> {
                    until(() -> !server.ended(lease).isEmpty());
                });
        assertThat(server.ended(lease).get(0).item().path("output").asText()).isEqualTo("mx1");
    }

    @Test
    void progressIsSentWithTheNextExtension() {
        var isSeen = new CountDownLatch(1);
        var lease = server.add("resize", TASK);
        during(
                worker().lease(Duration.ofMinutes(1)).handle(Resize.class, (task, context) -> {
                    context.progress(1, 10);
                    context.progress(2, 10.0, "two");
                    isSeen.await();
                    return null;
                }),
                () -> {
                    until(() -> !server.extensions().isEmpty());
                    isSeen.countDown();
                    until(() -> !server.ended(lease).isEmpty());
                });
        var extension = server.extensions().get(0).body();
        assertThat(extension.path("lease").asText()).isEqualTo("PT1M");
        assertThat(extension.path("leases").toString())
                .isEqualTo(
                        "[{\"lease\":\"lease-1\",\"progress\":{\"current\":2.0,\"total\":10.0,\"message\":\"two\"}}]");
    }

    private void assertInterruptedAfter(java.util.function.Consumer<String> event, String action) {
        var isInterrupted = new AtomicBoolean();
        var begun = new CountDownLatch(1);
        var lease = server.add("resize", TASK);
        try (var worker = worker().handle(Resize.class, (task, context) -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        isInterrupted.set(context.isCancelled());
                        throw e;
                    }
                    return null;
                })
                .start()) {
            until(() -> begun.getCount() == 0);
            event.accept(lease);
            until(isInterrupted::get);
            until(() -> worker.running() == 0);
        }
        assertThat(server.ended(lease))
                .extracting(Ended::action)
                .isEqualTo(action.isEmpty() ? List.of() : List.of(action));
    }

    @Test
    void aTaskThatIsPreemptedIsInterruptedAndHandedBack() {
        assertInterruptedAfter(lease -> server.cancel(lease, "PREEMPTED"), "release");
    }

    /** Its lease is not extended for twenty seconds. */
    @Test
    void aWorkerWithoutRoomIsToldAtOnceWhatToStop() {
        var begun = new CountDownLatch(1);
        var lease = server.add("resize", TASK);
        try (var worker = worker().lease(Duration.ofMinutes(1))
                .concurrency(1)
                .consume(Resize.class, (task, context) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                })
                .start()) {
            until(() -> begun.getCount() == 0);
            server.cancel(lease, "PREEMPTED");
            until(() -> worker.running() == 0);
        }
        assertThat(server.extensions()).isEmpty();
        assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("release");
    }

    @Test
    void aHandlerWhoseLeaseWasLostIsInterruptedAndReportsNothing() {
        assertInterruptedAfter(server::lose, "");
    }

    @Test
    void aTaskOfAnIdleWorkerIsCancelledByItsPoll() {
        assertInterruptedAfter(
                lease -> server.before(call -> call.path().equals("/leases")
                        ? Reply.of(
                                200,
                                "{\"leases\": [], \"cancelled\": [{\"lease\": \"%s\", \"reason\": \"CANCELLED\"}]}"
                                        .formatted(lease))
                        : null),
                "release");
    }

    @Test
    void aWorkerThatStopsLetsItsTasksEnd() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var lease = server.add("resize", TASK);
        var worker = worker().handle(Resize.class, (task, context) -> {
                    begun.countDown();
                    mayEnd.await();
                    return "done";
                })
                .start();
        begun.await();
        var stopping = new Thread(worker::close);
        stopping.start();
        until(WorkerReportsTest::isStopping);
        var polls = server.polls().size();
        until(() -> server.extensions().size() > 2);
        server.add("resize", TASK);
        mayEnd.countDown();
        stopping.join();

        assertThat(server.ended()).containsExactlyElementsOf(server.ended(lease));
        assertThat(server.ended(lease)).extracting(Ended::action).containsExactly("complete");
        assertThat(server.polls().size()).isLessThanOrEqualTo(polls + 2);
    }

    @Test
    void whatDoesNotEndInTimeIsHandedBack() throws InterruptedException {
        var begun = new CountDownLatch(2);
        Function<TaskContext, Object> deaf = context -> {
            begun.countDown();
            var end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (System.nanoTime() - end < 0 && !context.lease().lease().isEmpty()) {
                Thread.onSpinWait();
            }
            return "late";
        };
        var interruptible = server.add("resize", new Resize("wait", 1));
        var stubborn = server.add("resize", new Resize("spin", 1));
        var worker = worker().handle(Resize.class, (task, context) -> {
                    if (task.file().equals("spin")) {
                        return deaf.apply(context);
                    }
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return null;
                })
                .start();
        begun.await();
        worker.stop(Duration.ofMillis(50));

        assertThat(server.ended(interruptible)).extracting(Ended::action).containsExactly("release");
        assertThat(server.ended(stubborn)).extracting(Ended::action).containsExactly("release");
        assertThat(server.held()).isEmpty();
    }

    @Test
    void aWorkerAsksForAsManyAsItHasFree() {
        var mayEnd = new CountDownLatch(1);
        for (var i = 0; i < 5; i++) {
            server.add("resize", TASK);
        }
        try (var worker = worker().concurrency(3)
                .handle(Resize.class, (task, context) -> {
                    mayEnd.await();
                    return null;
                })
                .start()) {
            until(() -> worker.running() == 3);
            assertThat(server.held()).hasSize(3);
            assertThat(server.polls()).allMatch(call -> call.body().path("max").asInt() <= 2);
            mayEnd.countDown();
            until(() -> server.ended().size() == 5);
        }
    }

    @Test
    void whatWasLeasedAheadOfShortTasksDoesNotWaitForLongOnes() {
        var mayEnd = new CountDownLatch(1);
        var longOnes = new AtomicInteger();
        for (var i = 0; i < 400; i++) {
            server.add("resize", new Resize("short", i));
        }
        for (var i = 0; i < 60; i++) {
            server.add("resize", new Resize("long", i));
        }
        try (var worker = worker().concurrency(20)
                .handle(Resize.class, (task, context) -> {
                    if (task.file().equals("long")) {
                        longOnes.incrementAndGet();
                        mayEnd.await();
                    } else {
                        Thread.sleep(5);
                    }
                    return null;
                })
                .start()) {
            // A short one that another answer overtook is handed back too.
            until(() -> longOnes.get() == 20
                    && worker.running() == 20
                    && server.held().size() == 20);
            mayEnd.countDown();
            // A call that is under way at the stop could lease some more.
            until(() -> server.isDone());
        }
        assertThat(server.held()).isEmpty();
    }

    @Test
    void anOutageOfTheServerIsSurvived() {
        var failures = new AtomicInteger(4);
        server.before(call -> call.path().startsWith("/leases") && failures.getAndDecrement() > 0
                ? Reply.error(503, "UNAVAILABLE")
                : null);

        assertThat(run((task, context) -> 1).action()).isEqualTo("complete");
    }

    @Test
    void aResultThatIsRefusedFailsTheTaskAndNoOther() {
        server.before(call ->
                call.path().equals("/leases/complete") && call.body().toString().contains("bad")
                        ? Reply.error(400, "INVALID_REQUEST")
                        : null);
        var bad = server.add("resize", new Resize("bad", 1));
        var good = server.add("resize", new Resize("good", 1));
        during(worker().handle(Resize.class, (task, context) -> task.file()), () -> {
            until(() -> server.ended().size() == 2);
        });
        assertThat(server.ended(good)).extracting(Ended::action).containsExactly("complete");
        assertThat(server.ended(bad)).extracting(Ended::action).containsExactly("fail");
    }

    @Test
    void resultsAreReportedTogetherUnderLoad() {
        var calls = new AtomicInteger();
        server.before(call -> {
            if (call.path().equals("/leases/complete")) {
                calls.incrementAndGet();
            }
            return null;
        });
        for (var i = 0; i < 1_000; i++) {
            server.add("resize", TASK);
        }
        during(worker().concurrency(500).handle(Resize.class, (task, context) -> null), () -> {
            until(() -> server.ended().size() == 1_000);
        });
        assertThat(calls.get()).isLessThan(400);
        assertThat(server.ended()).extracting(Ended::lease).doesNotHaveDuplicates();
    }

    @Test
    void twoHandlersOfOneEndpointAreRefused() {
        assertThatThrownBy(() ->
                        worker().handle(Resize.class, (task, context) -> 1).handle(Resize.class, (task, context) -> 2))
                .hasMessage("There is a handler for 'resize' already.");
        assertThatThrownBy(() -> worker().start()).hasMessage("A worker needs a handler.");
    }
}
