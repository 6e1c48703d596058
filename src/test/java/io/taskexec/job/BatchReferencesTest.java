package io.taskexec.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.request.ErrorCode;
import java.util.List;
import java.util.stream.IntStream;
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

    /** Each message would name all others. */
    @Test
    void aLongCycleIsRefusedInShortMessages() {
        var size = 1_000;
        var refs = new BatchReferences(IntStream.range(0, size)
                .mapToObj(i -> json("{'ref': 'r%d', 'depends_on': ['r%d']}".formatted(i, (i + 1) % size)))
                .toList());

        assertThat(refs.levels()).isEmpty();

        for (var i = 0; i < size; i++) {
            var refusal = requireNonNull(refs.refusal(i));
            assertThat(refusal.code()).isEqualTo(ErrorCode.WORKFLOW_CYCLE);
            assertThat(refusal.getMessage()).hasSizeLessThan(150);
        }
        assertThat(requireNonNull(refs.refusal(0)).getMessage())
                .startsWith("The job depends on itself: r0 -> r1 -> ")
                .contains(" -> ... -> ")
                .endsWith(" -> r999 -> r0.");
    }

    @Test
    void whatDependsOnACycleIsNotInIt() {
        var refs = new BatchReferences(List.of(
                json("{'ref': 'a', 'depends_on': ['a']}"),
                json("{'ref': 'b', 'depends_on': ['a']}"),
                json("{'depends_on': ['b']}")));

        assertThat(refs.levels()).isEmpty();

        assertThat(IntStream.range(0, 3)
                        .mapToObj(i -> requireNonNull(refs.refusal(i)).code()))
                .containsExactly(ErrorCode.WORKFLOW_CYCLE, ErrorCode.DEPENDENCY_REFUSED, ErrorCode.DEPENDENCY_REFUSED);
    }
}
