package io.taskexec.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The order in which the jobs of a batch are created. */
class BatchReferencesTest {
    private static List<List<Integer>> levels(String... jobs) {
        return new BatchReferences(
                        Stream.of(jobs).map(BatchReferencesTest::json).toList())
                .levels();
    }

    private static JsonNode json(String text) {
        return requireNonNull(Json.stored(text.replace('\'', '"')));
    }

    @Test
    void jobsComeAfterTheirParents() {
        assertThat(levels("{'depends_on': ['b']}", "{'ref': 'b'}", "{}")).containsExactly(List.of(1, 2), List.of(0));
    }

    @Test
    void ofJobsWithOneIdempotencyKeyTheFirstComesBeforeTheOthers() {
        assertThat(levels(
                        "{'idempotency_key': 'a'}",
                        "{'idempotency_key': 'b'}",
                        "{'idempotency_key': 'a'}",
                        "{}",
                        "{'idempotency_key': 'a'}",
                        "{}"))
                .containsExactly(List.of(0, 1, 3, 5), List.of(2, 4));
    }
}
