package io.taskexec.dispatch.http;

import static io.taskexec.dispatch.http.HttpTestBed.call;
import static io.taskexec.dispatch.http.HttpTestBed.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.RecordedLog;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Receivers that send too much: what is over a limit is neither kept nor read, the connection is closed.
 */
class HttpFloodTest {
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final String PIECE = "x".repeat(0x4000);
    private static final String CHUNK = "4000\r\n" + PIECE + "\r\n";

    /** What the buffers of two sockets may take in, of the hundred megabytes that a server is ready to send. */
    private static final long IN_BUFFERS = 20L * 1024 * 1024;

    private final HttpTestBed bed = new HttpTestBed();

    @AfterEach
    void close() {
        bed.close();
    }

    private void assertClosedLongBeforeTheEnd() {
        assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
        assertThat(bed.flooded).hasValueLessThan(IN_BUFFERS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 104857600", "Transfer-Encoding: chunked", "Connection: close"})
    void ofAHundredMegabytesTheBeginningIsReadAndKept(String framing) {
        var piece = framing.contains("chunked") ? CHUNK : PIECE;
        var uri = bed.serve(socket -> bed.flood(socket, "HTTP/1.1 200 OK\r\n" + framing + "\r\n\r\n", piece));

        assertThat(bed.dispatch(get(uri))).isInstanceOfSatisfying(Outcome.Succeeded.class, it -> {
            assertThat(it.output().path("truncated").asBoolean()).isTrue();
            assertThat(it.output().path("body").asText()).isEqualTo("x".repeat(BodyCapture.LIMIT));
        });
        assertClosedLongBeforeTheEnd();
    }

    @Test
    void theStatusOfSuchAnAnswerCountsAsItWouldOtherwise() {
        var uri = bed.serve(socket -> bed.flood(socket, "HTTP/1.1 503 Down\r\nRetry-After: 7\r\n\r\n", PIECE));

        assertThat(bed.dispatch(get(uri)))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP 503 Down", 503, "x".repeat(BodyCapture.LIMIT)),
                        Duration.ofSeconds(7)));
        assertClosedLongBeforeTheEnd();
    }

    @ParameterizedTest
    @CsvSource({
        "'HTTP/1.1 200 ', x",
        "'HTTP/1.1 200 OK\r\nX-Long: ', x",
        "'HTTP/1.1 200 OK\r\n', 'X-More: 1\r\n'",
        "'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;long=', x",
        "'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n', 'X-More: 1\r\n'",
        "'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Long: ', x"
    })
    void whateverElseHasNoEndIsAConnectionError(String head, String more) {
        var uri = bed.serve(socket -> bed.flood(socket, head, more.repeat(0x4000 / more.length())));

        assertThat(bed.dispatch(get(uri)))
                .isInstanceOfSatisfying(
                        Outcome.RetryableFailure.class,
                        it -> assertThat(it.failure().type())
                                .as(it.toString())
                                .isEqualTo(Failure.Type.CONNECTION_ERROR));
        assertClosedLongBeforeTheEnd();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 103})
    void interimAnswersDoNotBuyTime(int status) {
        var uri = bed.serve(socket -> bed.drip(socket, "", 1, "HTTP/1.1 " + status + " Wait\r\n\r\n"));

        assertThat(bed.dispatch(get(uri).within(SHORT)))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"), null));
        assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
    }

    /** The client does not wait for the answer that follows, which must not be taken for that of the next call. */
    @ParameterizedTest
    @ValueSource(ints = {101, 102, 199})
    void otherInterimAnswersAreTriedAgainOnAnotherConnection(int status) {
        var uri = bed.serve(socket ->
                bed.answer(socket, "HTTP/1.1 " + status + " Wait\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));

        try (var log = RecordedLog.of("io.vertx.core.http.impl.HttpClientResponseImpl")) {
            for (var i = 0; i < 3; i++) {
                assertThat(bed.dispatch(get(uri)))
                        .isEqualTo(new Outcome.RetryableFailure(
                                new Failure(Failure.Type.HTTP_ERROR, "HTTP " + status + " Wait", status, ""), null));
            }
            assertThatCode(() -> bed.closedByUs.get(10, TimeUnit.SECONDS)).doesNotThrowAnyException();
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void theAnswerAfterManyInterimOnesCounts() {
        var interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n".repeat(500);
        var uri = bed.serve(socket -> bed.answer(socket, interim + "HTTP/1.1 204 No Content\r\n\r\n"));

        assertThat(bed.dispatch(get(uri))).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void anAnswerThatDoesNotWaitForTheRequestCounts() {
        var uri = bed.serve(socket -> {
            bed.watch(socket);
            socket.handler(_ -> {
                socket.pause();
                var _ = socket.write("HTTP/1.1 413 Too Much\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            });
        });

        var outcome = bed.dispatch(call("POST", uri, Map.of(), "\"" + "x".repeat(50_000_000) + "\""));

        assertThat(outcome)
                .isEqualTo(new Outcome.PermanentFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP 413 Too Much", 413, "")));
    }
}
