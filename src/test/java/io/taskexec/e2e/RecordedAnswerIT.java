package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import io.vertx.core.buffer.Buffer;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The answer of a receiver is recorded up to a limit, and without the secrets that were sent. */
@ServerTest
class RecordedAnswerIT {
    private static final Map<String, Object> NO_RETRY = Map.of("max_attempts", 1);
    private static final int KEPT_BYTES = 64 * 1024;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    @Inject
    private static Receiver receiver;

    @AfterEach
    void forget() {
        receiver.answer(Answer.of(200, "{}"));
        receiver.clear();
    }

    @Test
    void ofALongAnswerTheFirst64KibibytesAreKept() throws InterruptedException {
        receiver.answer(Answer.of(200, "x".repeat(KEPT_BYTES + 1)));
        api.endpoint("long-answer", receiver.uri("/"), NO_RETRY);
        var cut = api.ended(api.immediate("long-answer", "over"));
        receiver.answer(Answer.of(200, "x".repeat(KEPT_BYTES)));
        var whole = api.ended(api.immediate("long-answer", "exact"));

        assertThat(cut.getString("status")).isEqualTo("SUCCESS");
        assertThat(cut.getString("output.body")).isEqualTo("x".repeat(KEPT_BYTES));
        assertThat(cut.getBoolean("output.truncated")).isTrue();
        assertThat(whole.getString("output.body")).isEqualTo("x".repeat(KEPT_BYTES));
        assertThat(whole.<String, Object>getMap("output")).doesNotContainKey("truncated");
    }

    @Test
    void anAnswerThatIsNoTextIsKeptAsFarAsItIsOne() throws InterruptedException {
        receiver.answer(Answer.of(200, "").with(Buffer.buffer(new byte[] {'a', 0, (byte) 0xff, 'b'})));
        api.endpoint("binary-answer", receiver.uri("/"), NO_RETRY);

        var execution = api.ended(api.immediate("binary-answer", "k"));

        assertThat(execution.getString("output.body")).isEqualTo("a\ufffd\ufffdb");
    }

    @Test
    void aSecretThatComesBackIsTakenOut() throws InterruptedException {
        api.secret("parrot", "sk-live-parrot-0815");
        api.create("/endpoints", """
            {"name": "parrot", "type": "HTTP",
             "spec": {"url": "%s", "method": "POST", "headers": {"Authorization": "Bearer {{secret.parrot}}"}},
             "retry_policy": {"max_attempts": 2, "initial_delay_ms": 1}}
            """.formatted(receiver.uri("/")));
        var statuses = List.of(503, 400, 200).iterator();
        receiver.answer(request -> Answer.of(statuses.next(), "you sent " + request.header("Authorization")));

        var refused = api.immediate("parrot", "refused");
        var _ = api.ended(refused);
        var taken = api.immediate("parrot", "taken");
        var output = api.ended(taken).getString("output.body");

        assertThat(receiver.requests())
                .extracting(request -> request.header("Authorization"))
                .containsOnly("Bearer sk-live-parrot-0815");
        assertThat(output).isEqualTo("you sent Bearer [redacted]");
        for (var executionId : List.of(refused, taken)) {
            assertThat(api.get("/executions/" + executionId).asString()).doesNotContain("sk-live-parrot-0815");
            assertThat(api.get("/executions/" + executionId + "/attempts").asString())
                    .contains("[redacted]")
                    .doesNotContain("sk-live-parrot-0815");
        }
        assertThat(program.output()).doesNotContain("sk-live-parrot-0815");
    }

    @Test
    void theHalfOfASecretThatAnAnswerIsCutInIsTakenOutToo() throws InterruptedException {
        api.secret("cut", "sk-live-cut-in-two-4711");
        api.create("/endpoints", """
            {"name": "cut", "type": "HTTP",
             "spec": {"url": "%s", "method": "POST", "headers": {"Authorization": "Bearer {{secret.cut}}"}}}
            """.formatted(receiver.uri("/")));
        var before = "x".repeat(KEPT_BYTES - "sk-live-cut".length());
        receiver.answer(Answer.of(200, before + "sk-live-cut-in-two-4711"));

        var execution = api.ended(api.immediate("cut", "k"));

        assertThat(execution.getString("output.body")).isEqualTo(before + "[redacted]");
    }
}
