package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Receiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code jobs create} of a file with many jobs, with a server that fails in its midst. */
class JobFileTroubleTest {
    private static final Answer UNAVAILABLE =
            Answer.of(503, "{\"error\":{\"code\":\"UNAVAILABLE\",\"message\":\"Not now.\"}}");
    private static final int BATCH = 1000;

    private final Receiver server = new Receiver();
    private final AtomicInteger calls = new AtomicInteger();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    private static Answer created(int jobs) {
        var items = String.join(",", Collections.nCopies(jobs, "{\"status\":201}"));
        return Answer.of(200, "{\"items\":[" + items + "]}");
    }

    private CommandRun create(Iterable<String> lines) throws IOException {
        return CommandRun.of(
                "jobs",
                "create",
                "-f",
                Files.write(folder.resolve("jobs.ndjson"), lines).toString(),
                "--url",
                server.uri("").toString(),
                "--token-file",
                Files.writeString(folder.resolve("token"), "te_key").toString());
    }

    @Test
    void aBatchOfJobsWithKeysIsSentAgainWhenTheServerCannotTakeIt() throws Exception {
        server.answer(_ -> calls.incrementAndGet() == 1 ? UNAVAILABLE : created(1));

        var run = create(Collections.singleton("{\"endpoint\": \"a\", \"idempotency_key\": \"k\"}"));

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("1 created, 0 already existed, 0 refused.\n");
        assertThat(calls).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"endpoint\": \"a\"}",
                "{\"endpoint\": \"a\", \"idempotency_key\": \"k\", \"on_conflict\": \"replace\"}",
                "{\"endpoint\": \"a\", \"idempotency_key\": \"k\", \"on_conflict\": \"reject\"}"
            })
    void aBatchOfJobsThatAreNotFoundByKeysIsSentOnceAndWhatWasCreatedBeforeIsCounted(String line) throws Exception {
        server.answer(_ -> calls.incrementAndGet() == 1 ? created(BATCH) : UNAVAILABLE);

        var run = create(Collections.nCopies(BATCH + 1, line));

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEqualTo("1000 created, 0 already existed, 0 refused.\n");
        assertThat(run.err()).contains("UNAVAILABLE");
        assertThat(calls).hasValue(2);
    }
}
