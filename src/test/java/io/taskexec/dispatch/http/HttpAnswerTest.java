package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.job.Failure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpAnswerTest {
    @Test
    void whatIsExpectedSucceeds() {
        assertThat(answer(201).classify(HttpSpec.DEFAULT_EXPECTED))
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output()).hasToString("{\"status_code\":201,\"body\":\"b\"}"));
        assertThat(answer(404).classify(List.of(404))).isInstanceOf(Outcome.Succeeded.class);
        assertThat(answer(503).classify(List.of(503))).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aCutBodyIsMarked() {
        assertThat(new HttpAnswer(200, "OK", null, false, "b", true).classify(List.of(200)))
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output())
                                .hasToString("{\"status_code\":200,\"body\":\"b\",\"truncated\":true}"));
    }

    @ParameterizedTest
    @ValueSource(ints = {101, 102, 199, 408, 425, 429, 500, 501, 502, 503, 504, 599})
    void whatMayPassIsWorthARetry(int status) {
        assertThat(answer(status).classify(HttpSpec.DEFAULT_EXPECTED))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP " + status + " Words", status, "b"),
                        Duration.ofSeconds(9)));
    }

    @ParameterizedTest
    @ValueSource(ints = {203, 206, 301, 302, 304, 307, 400, 401, 403, 404, 409, 410, 422, 426, 451, 499, 600, 999})
    void theRestIsNot(int status) {
        assertThat(answer(status).classify(HttpSpec.DEFAULT_EXPECTED))
                .isEqualTo(new Outcome.PermanentFailure(
                        new Failure(Failure.Type.HTTP_ERROR, "HTTP " + status + " Words", status, "b"),
                        false,
                        Duration.ofSeconds(9)));
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503})
    void whatMayPassIsNotWorthARetryWhenTheReceiverSaysSo(int status) {
        var answer = new HttpAnswer(status, "Words", Duration.ofSeconds(9), true, "b", false);
        assertThat(answer.classify(HttpSpec.DEFAULT_EXPECTED)).isInstanceOf(Outcome.PermanentFailure.class);
        assertThat(answer.classify(List.of(status))).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void anyTwoHundredIsAFailureWhenItIsNotExpected() {
        assertThat(answer(200).classify(List.of(202))).isInstanceOf(Outcome.PermanentFailure.class);
    }

    @Test
    void theReasonOfTheReceiverIsTamed() {
        var outcome =
                new HttpAnswer(500, "a\0b\u001b[31m" + "x".repeat(1000), null, false, "", false).classify(List.of());
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.RetryableFailure.class,
                        it -> assertThat(it.failure().message())
                                .startsWith("HTTP 500 a b [31mxxx")
                                .hasSizeLessThan(310));
        assertThat(new HttpAnswer(500, "", null, false, "", false).classify(List.of()))
                .isInstanceOfSatisfying(
                        Outcome.RetryableFailure.class,
                        it -> assertThat(it.failure().message()).isEqualTo("HTTP 500"));
    }

    private static HttpAnswer answer(int status) {
        return new HttpAnswer(status, "Words", Duration.ofSeconds(9), false, "b", false);
    }
}
