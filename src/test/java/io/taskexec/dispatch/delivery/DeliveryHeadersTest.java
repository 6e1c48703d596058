package io.taskexec.dispatch.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.http.HttpTestBed;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.DeliveryExtras.CloudEvent;
import io.taskexec.model.delivery.Signer;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryHeadersTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String EXECUTION = "exec_0195a000000070008000000000000001";
    private static final Signer SHOWING = (id, timestamp, body) -> id + "." + timestamp + "." + new String(body, UTF_8);

    private static Delivery delivery(@Nullable TraceContext trace, DeliveryExtras extras) {
        var one = HttpTestBed.DELIVERY;
        return new Delivery(one.executionId(), one.jobId(), one.attempt(), one.scheduledFor(), trace, extras);
    }

    private static Map<String, String> event(CloudEventBinding spelling, String source, String type) {
        var trace = new TraceContext(TRACE, "00f067aa0ba902b7", true, "a=1,b=x y");
        var extras = new DeliveryExtras(null, new CloudEvent(source, type));
        return DeliveryHeaders.of(delivery(trace, extras), "{}", spelling);
    }

    @Test
    void anEndpointThatAddsNothingSendsItsIdsAndATrace() {
        assertThat(DeliveryHeaders.of(delivery(null, DeliveryExtras.NONE), "{}", CloudEventBinding.HTTP)
                        .keySet())
                .containsExactly(
                        "Idempotency-Key",
                        "Taskexec-Execution-Id",
                        "Taskexec-Job-Id",
                        "Taskexec-Attempt",
                        "Taskexec-Scheduled-For",
                        "traceparent");
    }

    @ParameterizedTest
    @CsvSource({"true, 01", "false, 00"})
    void aTraceIsContinuedWithASpanForEachAttempt(boolean sampled, String flags) {
        var delivery = delivery(new TraceContext(TRACE, "00f067aa0ba902b7", sampled, "a=1"), DeliveryExtras.NONE);

        var spans = IntStream.rangeClosed(1, 100)
                .mapToObj(attempt -> new Delivery(
                        delivery.executionId(),
                        delivery.jobId(),
                        attempt,
                        delivery.scheduledFor(),
                        delivery.trace(),
                        DeliveryExtras.NONE))
                .map(one ->
                        DeliveryHeaders.of(one, null, CloudEventBinding.HTTP).get("traceparent"))
                .collect(Collectors.toSet());

        assertThat(spans)
                .hasSize(100)
                .allMatch(span -> span.matches("00-" + TRACE + "-(?!00f067)[0-9a-f]{16}-" + flags));
        assertThat(DeliveryHeaders.of(delivery, null, CloudEventBinding.HTTP)).containsEntry("tracestate", "a=1");
    }

    @Test
    void aTraceThatBeginsHereIsNamedLikeItsExecution() {
        assertThat(DeliveryHeaders.of(delivery(null, DeliveryExtras.NONE), null, CloudEventBinding.HTTP))
                .doesNotContainKey("tracestate")
                .hasEntrySatisfying(
                        "traceparent",
                        it -> assertThat(it).matches("00-0195a000000070008000000000000001-[0-9a-f]{16}-01"));
    }

    @Test
    void whatIsSignedIsTheExecutionTheMomentAndTheBody() {
        var before = Instant.now().getEpochSecond();

        var identity = DeliveryHeaders.of(
                delivery(null, new DeliveryExtras(SHOWING, null)), "{\"ü\":1}", CloudEventBinding.HTTP);

        var timestamp = identity.getOrDefault("webhook-timestamp", "");
        assertThat(Long.parseLong(timestamp)).isBetween(before, Instant.now().getEpochSecond());
        assertThat(identity)
                .containsEntry("webhook-id", EXECUTION)
                .containsEntry("webhook-signature", EXECUTION + "." + timestamp + ".{\"ü\":1}");
    }

    @Test
    void noBodyIsSignedAsAnEmptyOne() {
        assertThat(DeliveryHeaders.of(delivery(null, new DeliveryExtras(SHOWING, null)), null, CloudEventBinding.HTTP)
                        .get("webhook-signature"))
                .endsWith(".");
    }

    @Test
    void aDeliveryIsACloudEventByItsHeaders() {
        var identity = event(CloudEventBinding.HTTP, "/taskexec", "io.taskexec.job");

        assertThat(identity)
                .containsEntry("ce-specversion", "1.0")
                .containsEntry("ce-id", EXECUTION)
                .containsEntry("ce-source", "/taskexec")
                .containsEntry("ce-type", "io.taskexec.job")
                .containsEntry("ce-time", "2026-03-01T12:00:00.250Z")
                .containsEntry("ce-subject", "job_0195a000000070008000000000000002")
                .containsEntry("ce-traceparent", identity.get("traceparent"))
                .containsEntry("ce-tracestate", "a=1,b=x%20y")
                .containsEntry("tracestate", "a=1,b=x y");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', textBlock = """
            a b,        a%20b
            50%,        50%25
            "q",        %22q%22
            Euro €😀,   Euro%20%E2%82%AC%F0%9F%98%80
            !#$&'()*+-./:;<=>?@[]^_{|}~, !#$&'()*+-./:;<=>?@[]^_{|}~
            """)
    void inHeadersWhatIsNotVisibleAsciiIsPercentEncoded(String type, String written) {
        assertThat(event(CloudEventBinding.HTTP, "/a", type)).containsEntry("ce-type", written);
    }

    @Test
    void whereValuesCanBeAnythingTheyAreLeftAsTheyAre() {
        assertThat(event(CloudEventBinding.UNDERSCORE, "/ü", "50 % €"))
                .containsEntry("ce_source", "/ü")
                .containsEntry("ce_type", "50 % €")
                .containsEntry("ce_specversion", "1.0")
                .doesNotContainKey("ce-type");
    }
}
