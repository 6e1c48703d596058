package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.call;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.smallrye.mutiny.Multi;
import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.HostLookup;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.vertx.core.http.HttpClientOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Receivers that let us wait: each call ends when its time is up, or when it is cancelled. */
class HttpTimeoutTest {
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final int MORE_THAN_A_POOL = 600;
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";

    private final HttpTestBed bed = new HttpTestBed();

    @AfterEach
    void close() {
        bed.close();
    }

    @Test
    void aListenerThatNeverAcceptsTimesOut() throws IOException {
        var waiting = new ArrayList<SocketChannel>();
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // More than its queue holds, so that the kernel leaves the next one unanswered.
            for (var i = 0; i < 4; i++) {
                var channel = SocketChannel.open();
                channel.configureBlocking(false);
                var _ = channel.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
                waiting.add(channel);
            }
            assertTimesOut(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"));
        } finally {
            for (var channel : waiting) {
                channel.close();
            }
        }
    }

    @Test
    void aNameServerThatNeverAnswersTimesOut() {
        var policy = new EgressPolicy(EgressConfig.Mode.OPEN, List.of(), List.of());
        var guard = new EgressGuard(
                policy, new AddressCache(HostLookup.SYSTEM, _ -> {}, System::nanoTime), TestEgress.NO_INTERFACES);
        var dispatcher = bed.dispatcher(guard, new HttpClientOptions());
        assertTimesOut(dispatcher, URI.create("http://silent.example/"));
    }

    @Test
    void callsThatFindNoPlaceInTheQueueAreToldSo() {
        var silent = bed.serve(bed::watch);
        assertThat(messagesOf(1500, get(silent).within(Duration.ofSeconds(2))))
                .containsExactlyInAnyOrder(
                        "No complete answer within 2000 ms",
                        "Too many calls are waiting for 127.0.0.1:" + silent.getPort());
    }

    @Test
    void silenceInsteadOfAHeadTimesOut() {
        assertTimesOut(bed.serve(bed::watch));
        assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
    }

    @Test
    void silenceWithinTheBodyTimesOut() {
        assertTimesOut(bed.serve(socket -> bed.answer(socket, HEAD + "begin")));
        assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
    }

    @Test
    void aDripOfBytesDoesNotBuyTime() {
        assertTimesOut(bed.serve(socket -> bed.drip(socket, HEAD, 20, "x")));
        assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
    }

    @Test
    void aDripOfHeadersDoesNotBuyTime() {
        assertTimesOut(bed.serve(socket -> bed.drip(socket, "HTTP/1.1 200 OK\r\n", 20, "X-More: 1\r\n")));
    }

    @Test
    void cancellingDropsTheConnectionAtOnce() throws Exception {
        var arrived = new CompletableFuture<Void>();
        var uri = bed.serve(socket -> {
            bed.watch(socket);
            socket.handler(_ -> arrived.complete(null));
        });
        var running = bed.dispatcher.dispatch(get(uri), DELIVERY).subscribe().with(_ -> {});
        arrived.get(10, TimeUnit.SECONDS);
        running.cancel();
        bed.closedByUs.get(5, TimeUnit.SECONDS);
    }

    @Test
    void cancelledAndLateCallsGiveTheirConnectionsBack() {
        var uri = bed.serve(socket -> socket.handler(head -> {
            if (head.toString().startsWith("POST")) {
                var _ = socket.write("HTTP/1.1 204 No Content\r\n\r\n");
            }
        }));
        IntStream.range(0, MORE_THAN_A_POOL).forEach(_ -> cancelAtOnce(get(uri)));
        assertThat(bed.dispatch(call("POST", uri, Map.of(), "{}"))).isInstanceOf(Outcome.Succeeded.class);
        assertThat(messagesOf(MORE_THAN_A_POOL, get(uri).within(SHORT)))
                .containsExactly("No complete answer within 400 ms");
        assertThat(bed.dispatch(call("POST", uri, Map.of(), "{}"))).isInstanceOf(Outcome.Succeeded.class);
    }

    private void cancelAtOnce(HttpCall call) {
        bed.dispatcher.dispatch(call, DELIVERY).subscribe().with(_ -> {}).cancel();
    }

    /** What {@code count} calls at once end with, each message once. */
    private Set<String> messagesOf(int count, HttpCall call) {
        return Multi.createFrom()
                .range(0, count)
                .onItem()
                .transformToUni(_ -> bed.dispatcher.dispatch(call, DELIVERY))
                .merge(count)
                .map(it -> ((Outcome.RetryableFailure) it).failure().message())
                .collect()
                .asSet()
                .await()
                .atMost(PATIENCE);
    }

    private void assertTimesOut(URI uri) {
        assertTimesOut(bed.dispatcher, uri);
    }

    private static void assertTimesOut(HttpDispatcher dispatcher, URI uri) {
        var begin = System.nanoTime();
        var outcome =
                dispatcher.dispatch(get(uri).within(SHORT), DELIVERY).await().atMost(PATIENCE);
        assertThat(outcome)
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"), null));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(SHORT, PATIENCE);
    }
}
