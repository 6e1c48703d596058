package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.job.JobIngestion.Answer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Creates jobs of messages on a real database. */
class JobIngestionTest {
    private static final String JOB = "{\"endpoint\": \"welcome\", \"trigger\": \"IMMEDIATE\", \"input\": {\"n\": %d}}";

    @RegisterExtension
    private static final JobBed bed = new JobBed();

    private static final JobIngestion ingestion = new JobIngestion(bed.creation, new ObjectMapper());

    /** A message with its key. */
    private record Message(@Nullable String json, @Nullable String key) {}

    private static List<Answer> ingest(Message... messages) {
        return await(ingestion.createAll(
                List.of(messages), message -> bytes(message.json()), message -> bytes(message.key())));
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    private static Message job(int n, String key) {
        return new Message(JOB.formatted(n), key);
    }

    @Test
    void everyMessageBecomesAJobWithTheKeyOfTheMessage() {
        assertThat(ingest(job(1, "a"), job(2, "b"))).containsOnly(new Answer.Stored(true));

        assertThat(bed.db.number("SELECT count(*) FROM jobs WHERE idempotency_key IN ('a', 'b')"))
                .isEqualTo(2);
    }

    @Test
    void aMessageThatComesTwiceMakesOneJob() {
        assertThat(ingest(job(1, "a"), job(1, "a"))).containsExactly(new Answer.Stored(true), new Answer.Stored(false));
        assertThat(ingest(job(1, "a"))).containsExactly(new Answer.Stored(false));
    }

    @Test
    void aMessageThatRejectsOthersIsNotRefusedWhenItComesTwice() {
        var first = new Message("{\"endpoint\": \"welcome\", \"on_conflict\": \"reject\"}", "a");
        var other = new Message("{\"endpoint\": \"welcome\", \"on_conflict\": \"reject\", \"input\": 1}", "a");

        assertThat(ingest(first)).containsExactly(new Answer.Stored(true));
        assertThat(ingest(first)).containsExactly(new Answer.Stored(false));
        assertThat(ingest(other)).singleElement().isInstanceOf(Answer.Refused.class);
    }

    @Test
    void aKeyOfTheJobComesBeforeThatOfTheMessage() {
        var named = "{\"endpoint\": \"welcome\", \"trigger\": \"IMMEDIATE\", \"idempotency_key\": \"own\"}";

        assertThat(ingest(new Message(named, "of the message"))).containsExactly(new Answer.Stored(true));
        assertThat(bed.db.number("SELECT count(*) FROM jobs WHERE idempotency_key = 'own'"))
                .isEqualTo(1);
    }

    @Test
    void aMessageHasNoTargetSinceNoApiKeyStandsBehindIt() {
        var message = new Message("{\"target\": {\"url\": \"https://example.org/\"}}", "k");

        assertThat(ingest(message, message, job(1, "a")))
                .satisfiesExactly(
                        answer -> assertThat(answer).isInstanceOf(Answer.Refused.class),
                        answer -> assertThat(answer).isInstanceOf(Answer.Refused.class),
                        answer -> assertThat(answer).isEqualTo(new Answer.Stored(true)));
    }

    @Test
    void whatCannotBecomeAJobIsRefusedAsTheApiWould() {
        var answers = ingest(
                new Message("{", "a"),
                new Message(JOB.formatted(1).replace("1}", "1e99999999999}"), "e"),
                new Message(null, "b"),
                new Message("{\"endpoint\": \"missing\", \"trigger\": \"IMMEDIATE\"}", "c"),
                new Message(JOB.formatted(1), null),
                new Message(JOB.formatted(1), "\0"));

        assertThat(answers)
                .extracting(answer -> ((Answer.Refused) answer).code())
                .containsExactly(
                        "INVALID_REQUEST",
                        "INVALID_REQUEST",
                        "INVALID_REQUEST",
                        "ENDPOINT_NOT_FOUND",
                        "INVALID_REQUEST",
                        "INVALID_REQUEST");
        assertThat(((Answer.Refused) answers.getLast()).body()).contains("idempotency_key");
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isZero();
    }

    @Test
    void oneBadMessageDoesNotKeepOthersFromBecomingJobs() {
        var messages = IntStream.range(0, 20)
                .mapToObj(i -> i == 7 ? new Message("[]", "bad") : job(i, "key-" + i))
                .toArray(Message[]::new);

        assertThat(ingest(messages)).filteredOn(new Answer.Stored(true)::equals).hasSize(19);
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(19);
    }
}
