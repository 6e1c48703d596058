package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the control that receivers have over later deliveries. */
@ServerTest
class ReceiverControlIT {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Map<String, Object> RETRIES = Map.of("max_attempts", 5, "initial_delay_ms", 1);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    private static JsonPath breaker(String endpoint) {
        return api.read("/endpoints/" + endpoint + "/breaker");
    }

    @Test
    void aReceiverThatIsGoneIsLeftAloneUntilSomebodySaysOtherwise() throws InterruptedException {
        api.endpoint("gone", receiver.uri("/"), RETRIES);
        receiver.answer(Answer.of(410, "moved out"));

        var first = api.ended(api.immediate("gone", "first"));

        assertThat(first.getString("status")).isEqualTo("FAILED");
        assertThat(first.getInt("attempt_count")).isEqualTo(1);
        assertThat(first.getInt("error.status_code")).isEqualTo(410);
        Eventually.await("it is disabled", BOUND, () -> breaker("gone").getString("state"), "DISABLED"::equals);
        assertThat(breaker("gone").getString("reason")).isEqualTo("its receiver answered HTTP 410 Gone");
        assertThat(breaker("gone").getString("since")).isNotNull();
        assertThat(breaker("gone").getString("retry_at")).isNull();

        var second = api.immediate("gone", "second");
        Eventually.await(
                "it is put off",
                BOUND,
                () -> api.read("/executions/" + second).getString("next_attempt_at") != null
                        && api.read("/executions/" + second).getString("status").equals("PENDING"));
        assertThat(receiver.requests()).hasSize(1);

        receiver.answer(Answer.of(200, "{}"));
        assertThat(api.act("/endpoints/gone/enable").getString("state")).isEqualTo("CLOSED");
        assertThat(api.act("/endpoints/gone/enable").getString("state")).isEqualTo("CLOSED");

        var ended = api.ended(second);
        assertThat(ended.getString("status")).isEqualTo("SUCCESS");
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
        assertThat(api.read("/endpoints/gone/events").<String>getList("items.kind"))
                .containsExactly("ENABLED", "DISABLED");
        assertThat(api.read("/audit").<String>getList("items.findAll { it.action == 'enable' }.kind"))
                .containsExactly("endpoint", "endpoint");
        assertThat(api.request().post("/endpoints/none/enable").statusCode()).isEqualTo(404);
    }

    @Test
    void a410ThatIsExpectedIsASuccess() throws InterruptedException {
        var spec = Map.of("url", receiver.uri("/").toString(), "method", "POST", "expected_status_codes", List.of(410));
        var _ = api.create("/endpoints", Map.of("name", "fine", "type", "HTTP", "spec", spec));
        receiver.answer(Answer.of(410, ""));

        assertThat(api.ended(api.immediate("fine", "first")).getString("status"))
                .isEqualTo("SUCCESS");

        assertThat(breaker("fine").getString("state")).isEqualTo("CLOSED");
    }

    @Test
    void aFailureThatTheReceiverCallsFinalIsNotTriedAgain() throws InterruptedException {
        api.endpoint("final", receiver.uri("/"), RETRIES);
        receiver.answer(Answer.of(503, "never").with("Taskexec-No-Retry", "true"));

        var ended = api.ended(api.immediate("final", "first"));

        assertThat(ended.getString("status")).isEqualTo("FAILED");
        assertThat(ended.getInt("attempt_count")).isEqualTo(1);
        assertThat(receiver.requests()).hasSize(1);
        assertThat(breaker("final").getString("state")).isEqualTo("CLOSED");
    }
}
