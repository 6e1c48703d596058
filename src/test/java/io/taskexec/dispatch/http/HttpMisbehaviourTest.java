package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.call;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.HostLookup;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Program;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that do what none should: each call still ends, in the right class and in time. */
class HttpMisbehaviourTest {
    private static final int CALLS = 50;
    private static final int KEPT = 5;
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";

    private final HttpTestBed bed = new HttpTestBed();

    @AfterEach
    void close() {
        bed.close();
    }

    @Test
    void aClosedPortIsAConnectionError() throws IOException {
        assertConnectionError(get(URI.create("http://127.0.0.1:" + Program.freePort() + "/")), "Connection refused");
    }

    @Test
    void anUnknownHostIsAConnectionError() {
        assertConnectionError(get(URI.create("http://no-such-name.invalid/")), "Unknown host no-such-name.invalid");
    }

    @Test
    void aNameServerThatChangesItsMindIsNotAskedTwice() {
        var answers = new ArrayDeque<>(List.of("127.0.0.1", "169.254.169.254"));
        var policy = new EgressPolicy(EgressConfig.Mode.OPEN, List.of(), List.of());
        HostLookup rebinding = _ -> List.of(InetAddress.ofLiteral(answers.remove()));
        var guard = new EgressGuard(
                policy, new AddressCache(rebinding, Runnable::run, System::nanoTime), TestEgress.NO_INTERFACES);
        var server = bed.serve(socket -> bed.answer(socket, "HTTP/1.1 204 No Content\r\n\r\n"));
        var outcome = bed.dispatcher(guard, new HttpClientOptions())
                .dispatch(get(URI.create("http://rebinding.example:" + server.getPort() + "/")), DELIVERY)
                .await()
                .atMost(PATIENCE);
        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
        assertThat(answers).hasSize(1);
    }

    @Test
    void closingAtOnceIsAConnectionError() {
        assertConnectionError(get(bed.serve(NetSocket::close)), "");
    }

    @Test
    void closingWithoutAnAnswerIsAConnectionError() {
        assertConnectionError(get(bed.serve(socket -> socket.handler(_ -> socket.close()))), "closed the connection");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nConte",
                HEAD + "begin",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nab"
            })
    void closingWithinTheAnswerIsAConnectionError(String beginning) {
        assertConnectionError(
                get(bed.serve(socket -> socket.handler(_ -> socket.end(Buffer.buffer(beginning))))), "closed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.9\r\n\r\n",
                "\0\1\2\3garbage\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
            })
    void garbageIsAConnectionError(String garbage) {
        assertConnectionError(get(bed.serve(socket -> bed.answer(socket, garbage))), "");
    }

    @Test
    void aHeadWithoutEndIsAConnectionError() {
        assertConnectionError(
                get(bed.serve(socket -> bed.answer(socket, "HTTP/1.1 200 OK\r\nX-Long: " + "x".repeat(100_000)))), "");
    }

    @Test
    void plainTextInsteadOfTlsIsAConnectionError() {
        var uri = bed.serve(socket -> bed.answer(socket, "HTTP/1.1 400 Bad Request\r\n\r\n"));
        assertConnectionError(
                get(URI.create(uri.toString().replace("http:", "https:"))), "failed: the answer is not TLS");
    }

    @Test
    void aBodyWithoutEndIsCutOffAndTheConnectionClosed() {
        var uri = bed.serve(socket -> bed.drip(
                socket,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                1,
                "2000\r\n" + "x".repeat(0x2000) + "\r\n"));
        assertThat(bed.dispatch(get(uri)))
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output().path("truncated").asBoolean())
                                .isTrue());
        assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
    }

    /** The connection may be found broken before or after the answer is read, but no call gets an answer to another. */
    @Test
    void bytesAfterTheAnswerAreNeverTakenForTheNextOne() {
        var uri = bed.serve(socket -> socket.handler(_ -> {
            var _ = socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 Smuggled\r\n\r\n");
        }));
        for (var i = 0; i < 3; i++) {
            var outcome = bed.dispatch(get(uri));
            if (!(outcome instanceof Outcome.Succeeded)) {
                assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Outcome.RetryableFailure.class,
                                it -> assertThat(it.failure().type()).isEqualTo(Failure.Type.CONNECTION_ERROR));
            }
        }
    }

    @Test
    void aKeptConnectionThatWasClosedMeanwhileIsReplacedWithinTheAttempt() {
        var connections = new AtomicInteger();
        var requests = new AtomicInteger();
        var uri = bed.serve(socket -> {
            connections.incrementAndGet();
            var first = new AtomicInteger();
            socket.handler(_ -> {
                requests.incrementAndGet();
                if (first.getAndIncrement() == 0) {
                    var _ = socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                } else {
                    var _ = socket.close();
                }
            });
        });
        for (var i = 0; i < CALLS; i++) {
            assertThat(bed.dispatch(call("POST", uri, Map.of(), "{}"))).isInstanceOf(Outcome.Succeeded.class);
        }
        // Not each call meets a reused connection: it may be faster than the return of the last one to the pool.
        assertThat(requests).hasValueGreaterThan(CALLS);
        assertThat(connections).hasValue(CALLS);
    }

    @Test
    void aCallThatMakesTheReceiverCloseIsSentTwiceAtMostHoweverManyConnectionsAreKept() throws Exception {
        var open = new ConcurrentLinkedQueue<NetSocket>();
        var refused = new AtomicInteger();
        var uri = bed.serve(socket -> socket.handler(request -> {
            if (request.toString().contains("x-poison")) {
                refused.incrementAndGet();
                var _ = socket.close();
                return;
            }
            open.add(socket);
            if (open.size() == KEPT) {
                open.forEach(one -> one.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
            }
        }));
        try (var threads = Executors.newFixedThreadPool(KEPT)) {
            var _ = threads.invokeAll(Collections.nCopies(KEPT, () -> bed.dispatch(get(uri))));
        }
        var poison = call("POST", uri, Map.of("x-poison", "1"), null);

        assertConnectionError(poison, "");
        assertThat(refused.get()).isBetween(1, 2);

        refused.set(0);
        assertConnectionError(poison.once(), "");
        assertThat(refused).hasValue(1);
    }

    private void assertConnectionError(HttpCall call, String message) {
        var begin = System.nanoTime();
        assertThat(bed.dispatch(call)).isInstanceOfSatisfying(Outcome.RetryableFailure.class, it -> {
            assertThat(it.failure().type()).as(it.toString()).isEqualTo(Failure.Type.CONNECTION_ERROR);
            assertThat(it.failure().message()).contains(message);
        });
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE.dividedBy(2));
    }
}
