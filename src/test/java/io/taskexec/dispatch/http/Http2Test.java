package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.call;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.Cancellable;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.TestCertificates;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A receiver that speaks HTTP/2, and what it may do to a call that has no counterpart in HTTP/1.1. */
class Http2Test {
    private static final int REFUSED_STREAM = 7;
    private static final Duration SHORT = Duration.ofMillis(400);

    private final HttpTestBed bed = new HttpTestBed();
    private final Set<HttpConnection> connections = ConcurrentHashMap.newKeySet();
    private final Queue<HttpServerRequest> hanging = new ConcurrentLinkedQueue<>();
    private final AtomicInteger arrived = new AtomicInteger();
    private final AtomicInteger brokenOff = new AtomicInteger();

    /** What is done with the next requests, before the usual is. */
    private final Queue<Consumer<HttpServerRequest>> script = new ConcurrentLinkedQueue<>();

    private HttpDispatcher dispatcher;
    private URI uri;

    @BeforeEach
    void open() {
        dispatcher = dispatcher(256);
        uri = serve(true);
    }

    @AfterEach
    void close() {
        bed.close();
    }

    private HttpDispatcher dispatcher(int connectionsPerHost) {
        return bed.dispatcher(TestHttp.DEFAULT
                .trusting(TestCertificates.authorityFile().toString())
                .with(connectionsPerHost));
    }

    private URI serve(boolean alpn) {
        var options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(alpn)
                .setKeyCertOptions(TestCertificates.identity(TestCertificates.LOCALHOST));
        var port = bed.vertx
                .createHttpServer(options)
                .requestHandler(this::receive)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
        return URI.create("https://localhost:" + port + "/");
    }

    private void receive(HttpServerRequest request) {
        arrived.incrementAndGet();
        connections.add(request.connection());
        request.response().exceptionHandler(_ -> brokenOff.incrementAndGet());
        var special = script.poll();
        if (special != null) {
            special.accept(request);
        } else if ("/hang".equals(request.path())) {
            hanging.add(request);
        } else {
            var _ = request.response().end(request.version().name());
        }
    }

    private URI at(String path) {
        return uri.resolve(path);
    }

    private Outcome dispatch(HttpCall call) {
        return dispatcher.dispatch(call, DELIVERY).await().atMost(PATIENCE);
    }

    private void assertSucceeds() {
        assertThat(dispatch(get(uri))).isInstanceOf(Outcome.Succeeded.class);
    }

    private static Failure failure(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
        return ((Outcome.RetryableFailure) outcome).failure();
    }

    @Test
    void theReceiverChoosesTheVersion() {
        assertThat(body(dispatch(get(uri)))).isEqualTo("HTTP_2");
        uri = serve(false);
        assertThat(body(dispatch(get(uri)))).isEqualTo("HTTP_1_1");
    }

    private static String body(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
        return ((Outcome.Succeeded) outcome).output().path("body").asText();
    }

    @Test
    void aRequestArrivesAsItDoesWithTheOtherVersion() {
        var seen = new ArrayList<String>();
        script.add(request -> request.body().onSuccess(body -> {
            seen.add(request.method() + " " + request.uri() + " " + body);
            seen.add(String.valueOf(request.authority()));
            seen.add(request.getHeader("Taskexec-Attempt"));
            var _ = request.response()
                    .setStatusCode(503)
                    .putHeader("Retry-After", "7")
                    .end("later");
        }));

        var outcome = dispatch(call("POST", at("/a%20b?c=d"), Map.of("X-Custom", "1"), "{\"ü\":1}"));

        assertThat(outcome)
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP 503 Service Unavailable", 503, "later"),
                        Duration.ofSeconds(7)));
        assertThat(seen).containsExactly("POST /a%20b?c=d {\"ü\":1}", "localhost:" + uri.getPort(), "3");
    }

    @Test
    void manyCallsShareAConnection() {
        assertSucceeds();
        var outcomes = outcomes(300, get(uri));

        assertThat(outcomes).hasSize(300).allMatch(it -> it instanceof Outcome.Succeeded);
        assertThat(connections).hasSize(1);
    }

    private List<Outcome> outcomes(int count, HttpCall call) {
        return Multi.createFrom()
                .range(0, count)
                .onItem()
                .transformToUni(_ -> dispatcher.dispatch(call, DELIVERY))
                .merge(count)
                .collect()
                .asList()
                .await()
                .atMost(PATIENCE);
    }

    @Test
    void ofALongBodyTheBeginningIsKeptAndTheConnectionStays() {
        assertSucceeds();
        script.add(request -> request.response().end(Buffer.buffer(new byte[10_000_000])));

        assertThat(dispatch(get(uri))).isInstanceOfSatisfying(Outcome.Succeeded.class, it -> {
            assertThat(it.output().path("truncated").asBoolean()).isTrue();
            assertThat(it.output().path("body").asText()).hasSize(BodyCapture.LIMIT);
        });

        assertSucceeds();
        assertThat(connections).hasSize(1);
    }

    @Test
    void headersWithoutMeasureAreAConnectionError() {
        assertSucceeds();
        script.add(request ->
                request.response().putHeader("X-Long", "x".repeat(100_000)).end());

        assertThat(failure(dispatch(get(uri))).type()).isEqualTo(Failure.Type.CONNECTION_ERROR);

        assertSucceeds();
    }

    @Test
    void silenceTimesOutAndTheConnectionStays() throws InterruptedException {
        assertSucceeds();

        assertThat(failure(dispatch(get(at("/hang")).within(SHORT))))
                .isEqualTo(new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"));

        Eventually.await("the receiver hears of it", PATIENCE, () -> brokenOff.get() == 1);
        assertSucceeds();
        assertThat(connections).hasSize(1);
    }

    @Test
    void aConnectionOnWhichNothingArrivesAnyMoreIsGivenUpAfterATimeout() {
        var silent = new AtomicBoolean();
        uri = URI.create("https://localhost:" + proxied(uri.getPort(), silent) + "/");
        assertSucceeds();
        silent.set(true);

        assertThat(failure(dispatch(get(uri).within(SHORT))).type()).isEqualTo(Failure.Type.TIMEOUT);

        assertSucceeds();
        assertThat(connections).hasSize(2);
    }

    /** The port of a proxy whose first connection drops everything while it is silent. */
    private int proxied(int port, AtomicBoolean silent) {
        var first = new AtomicBoolean(true);
        return bed.vertx
                .createNetServer()
                .connectHandler(client -> {
                    var drops = first.getAndSet(false);
                    client.pause();
                    bed.vertx.createNetClient().connect(port, "127.0.0.1").onSuccess(server -> {
                        pass(client, server, drops ? silent : new AtomicBoolean());
                        pass(server, client, drops ? silent : new AtomicBoolean());
                        client.resume();
                    });
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    private static void pass(NetSocket from, NetSocket to, AtomicBoolean silent) {
        from.handler(bytes -> {
            if (!silent.get()) {
                var _ = to.write(bytes);
            }
        });
    }

    @Test
    void whatAKeptConnectionRefusesGoesOutOnceMore() {
        assertSucceeds();
        script.add(request -> request.response().reset(REFUSED_STREAM));

        assertSucceeds();

        assertThat(arrived).hasValue(3);
    }

    @Test
    void butNotOverAndOver() {
        assertSucceeds();
        Collections.nCopies(5, REFUSED_STREAM)
                .forEach(code -> script.add(request -> request.response().reset(code)));

        assertThat(failure(dispatch(get(uri))))
                .isEqualTo(new Failure(
                        Failure.Type.CONNECTION_ERROR,
                        "localhost:" + uri.getPort() + " broke the call off with the HTTP/2 error 7"));

        assertThat(arrived).hasValue(3);
    }

    @Test
    void whatIsRefusedAtOnceIsNotSentAgain() {
        script.add(request -> request.response().reset(REFUSED_STREAM));

        assertThat(failure(dispatch(get(uri))).type()).isEqualTo(Failure.Type.CONNECTION_ERROR);

        assertThat(arrived).hasValue(1);
    }

    @Test
    void whatAKeptConnectionBreaksOffInAnotherWayIsNotSentAgain() {
        assertSucceeds();
        script.add(request -> request.response().reset(2));

        assertThat(failure(dispatch(get(uri))).type()).isEqualTo(Failure.Type.CONNECTION_ERROR);

        assertThat(arrived).hasValue(2);
    }

    @Test
    void whatAKeptConnectionLeavesOutAsItGoesAwayGoesOutOnceMore() {
        assertSucceeds();
        script.add(request -> request.connection().goAway(0, request.streamId() - 2));

        assertSucceeds();

        assertThat(arrived).hasValue(3);
        assertThat(connections).hasSize(2);
    }

    @Test
    void whatIsUnderWayWhenAConnectionGoesAwayEndsWell() {
        assertSucceeds();
        script.add(request -> {
            request.connection().goAway(0);
            var _ = bed.vertx.setTimer(50, _ -> request.response().end("after all"));
        });

        assertThat(body(dispatch(get(uri)))).isEqualTo("after all");

        assertSucceeds();
        assertThat(arrived).hasValue(3);
        assertThat(connections).hasSize(2);
    }

    @Test
    void noMoreThanItsShareIsUnderWayOnAConnection() throws InterruptedException {
        dispatcher = dispatcher(1);
        assertSucceeds();
        var ended = new ConcurrentLinkedQueue<Outcome>();
        for (var i = 0; i < 150; i++) {
            var _ = start(ended);
        }
        Eventually.await("a hundred arrive", PATIENCE, () -> hanging.size() == HttpTransport.STREAMS_PER_CONNECTION);

        release();

        Eventually.await("the others do", PATIENCE, () -> {
            release();
            return ended.size() == 150;
        });
        assertThat(ended).allMatch(it -> it instanceof Outcome.Succeeded);
        assertThat(connections).hasSize(1);
    }

    @Test
    void whoGivesUpWaitingTakesNobodysPlace() throws InterruptedException {
        dispatcher = dispatcher(1);
        assertSucceeds();
        var ended = new ConcurrentLinkedQueue<Outcome>();
        var waiting = new ArrayDeque<Cancellable>();
        for (var i = 0; i < 200; i++) {
            waiting.add(start(ended));
        }
        Eventually.await("a hundred arrive", PATIENCE, () -> hanging.size() == HttpTransport.STREAMS_PER_CONNECTION);
        for (var i = 0; i < 100; i++) {
            waiting.removeLast().cancel();
        }
        release();
        Eventually.await("a hundred end", PATIENCE, () -> ended.size() == 100);

        assertThat(outcomes(150, get(uri))).hasSize(150).allMatch(it -> it instanceof Outcome.Succeeded);
    }

    private Cancellable start(Queue<Outcome> ended) {
        return dispatcher.dispatch(get(at("/hang")), DELIVERY).subscribe().with(ended::add);
    }

    private void release() {
        for (var request = hanging.poll(); request != null; request = hanging.poll()) {
            var _ = request.response().end();
        }
    }
}
