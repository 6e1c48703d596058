package io.taskexec.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.request.ErrorCode;
import java.util.ArrayList;
import java.util.Collections;
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

    @Test
    void jobsThatReplaceHaveTheirTurnsInTheOrderOfTheBatch() {
        var replace = "{'idempotency_key': 'a', 'on_conflict': 'replace'}";
        assertThat(levels(replace, replace, "{}", replace)).containsExactly(List.of(0, 2), List.of(1), List.of(3));

        var other = "{'idempotency_key': 'a'}";
        assertThat(levels(other, other, replace, other, other, replace))
                .containsExactly(List.of(0), List.of(1), List.of(2), List.of(3, 4), List.of(5));
    }

    /** Each of them would be created within the one before. */
    @Test
    void aThousandLevelsWhoseJobsAreAllDecidedAtOnceAreCreatedInOrder() {
        var size = 1_000;
        var replace = json("{'idempotency_key': 'a', 'on_conflict': 'replace'}");
        var created = new ArrayList<Integer>();

        new BatchReferences(Collections.nCopies(size, replace))
                .inLevels(place -> Uni.createFrom().item(place).invoke(created::add))
                .await()
                .indefinitely();

        assertThat(created)
                .containsExactlyElementsOf(IntStream.range(0, size).boxed().toList());
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
