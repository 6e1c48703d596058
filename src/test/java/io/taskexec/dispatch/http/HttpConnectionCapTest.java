package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.DELIVERY;
import static io.taskexec.dispatch.http.HttpTestBed.PATIENCE;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.vertx.core.impl.VertxInternal;
import java.net.URI;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver that takes all the connections it can get, and what is left for others. */
class HttpConnectionCapTest {
    private static final int CALLS = 12;

    /** Of a call that gets no answer; others begin and end meanwhile. */
    private static final Duration TIME = Duration.ofSeconds(10);

    private final HttpTestBed bed = new HttpTestBed();
    private final AtomicInteger opened = new AtomicInteger();
    private final Queue<Outcome> ended = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        bed.close();
    }

    private URI hanging() {
        return bed.serve(socket -> {
            opened.incrementAndGet();
            socket.handler(_ -> {});
        });
    }

    /** Calls from as many event loops as there are. */
    private void start(HttpDispatcher by, URI uri, Duration timeout) {
        for (var i = 0; i < CALLS; i++) {
            ((VertxInternal) bed.vertx).createEventLoopContext().runOnContext(_ -> {
                var _ = by.dispatch(get(uri).within(timeout), DELIVERY)
                        .subscribe()
                        .with(ended::add);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aHostThatHangsHasItsConnectionsAndNoMore(int cap) throws InterruptedException {
        var dispatcher = bed.dispatcher(TestHttp.DEFAULT.with(cap));
        start(dispatcher, hanging(), TIME);

        try (var well = new Receiver()) {
            Eventually.await("all its connections are taken", PATIENCE, () -> opened.get() == cap);
            for (var i = 0; i < CALLS; i++) {
                assertThat(dispatcher
                                .dispatch(get(well.uri("/")), DELIVERY)
                                .await()
                                .atMost(PATIENCE))
                        .isInstanceOf(Outcome.Succeeded.class);
            }
            assertThat(opened).hasValue(cap);
        }

        Eventually.await("all calls end", TIME.plus(PATIENCE), () -> ended.size() == CALLS);
        assertThat(ended)
                .containsOnly(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 10000 ms"), null));
    }

    @Test
    void thoseThatWaitHaveTheirTurnWhenOthersEnd() throws InterruptedException {
        var dispatcher = bed.dispatcher(TestHttp.DEFAULT.with(2));
        try (var receiver = new Receiver()) {
            start(dispatcher, receiver.uri("/"), PATIENCE);

            Eventually.await("all calls end", PATIENCE, () -> ended.size() == CALLS);
            assertThat(ended).allMatch(it -> it instanceof Outcome.Succeeded);
            assertThat(receiver.connections()).isLessThanOrEqualTo(2);
        }
    }
}
