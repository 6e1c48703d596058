package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parses headers by W3C Trace Context, level 1. */
class TraceContextTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String PARENT = "00-" + TRACE + "-" + SPAN + "-01";

    private static @Nullable TraceContext of(String parent, String... states) {
        return TraceContext.of(List.of(parent), List.of(states));
    }

    private static @Nullable String state(String... states) {
        return Objects.requireNonNull(of(PARENT, states)).state();
    }

    @ParameterizedTest
    @CsvSource({
        "00-, -01, true",
        "00-, -00, false",
        "00-, -02, false",
        "00-, -ff, true",
        "cc-, -01, true",
        "cc-, -01-more, true"
    })
    void aParentIsRead(String version, String flags, boolean sampled) {
        assertThat(of(version + TRACE + "-" + SPAN + flags)).isEqualTo(new TraceContext(TRACE, SPAN, sampled, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01",
                "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x"
            })
    void aMalformedParentIsIgnoredWithItsState(String parent) {
        assertThat(of(parent, "a=1")).isNull();
    }

    @Test
    void twoParentsOrNoneAreAsGoodAsAMalformedOne() {
        assertThat(TraceContext.of(List.of(PARENT, PARENT), List.of())).isNull();
        assertThat(TraceContext.of(List.of(), List.of("a=1"))).isNull();
    }

    @Test
    void severalStatesAreOneListInTheirOrder() {
        assertThat(state("rojo=00f067aa0ba902b7 ,\tcongo=t61", "", "tenant@system=a b, 1x@y=/"))
                .isEqualTo("rojo=00f067aa0ba902b7,congo=t61,tenant@system=a b,1x@y=/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a=", "=1", "A=1", "1a=1", "a=1=2", "a=é", "a b=1", "a@=1", "a@b@c=1", "a=1;ä=2"})
    void aMalformedStateIsIgnoredButNotItsParent(String state) {
        assertThat(of(PARENT, "ok=1," + state)).isEqualTo(new TraceContext(TRACE, SPAN, true, null));
    }

    @Test
    void aStateIsBounded() {
        var members = IntStream.rangeClosed(1, 33).mapToObj(i -> "k" + i + "=1").toList();
        assertThat(state(String.join(",", members))).isNull();
        assertThat(state(String.join(",", members.subList(0, 32)))).hasSizeGreaterThan(32);

        var long100 = IntStream.rangeClosed(1, 9)
                .mapToObj(i -> "k" + i + "=" + "v".repeat(97))
                .collect(Collectors.joining(","));
        assertThat(state(long100)).isEqualTo(long100.substring(0, 504)).endsWith("v");
        assertThat(state("k".repeat(256) + "=" + "v".repeat(256))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a=1", "a=1,b=x y"})
    void whatIsStoredReadsBackAsTheSame(String state) {
        var trace = Objects.requireNonNull(of(PARENT, state));

        assertThat(TraceContext.ofText(trace.toText())).isEqualTo(trace);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "damaged", PARENT + "0"})
    void whatWasDamagedInTheStoreIsNoTrace(String text) {
        assertThat(TraceContext.ofText(text)).isNull();
    }

    @Test
    void eachAttemptOfEachExecutionHasASpanOfItsOwnThatEverybodyKnows() {
        var execution = UUID.fromString("01a1f88c-d314-7000-bf8f-b310aee6c296");
        var next = UUID.fromString("01a1f88c-d314-7000-bf8f-b310aee6c297");

        var spans = IntStream.rangeClosed(1, 500)
                .boxed()
                .flatMap(attempt ->
                        Stream.of(TraceContext.spanId(execution, attempt), TraceContext.spanId(next, attempt)))
                .toList();

        assertThat(spans).doesNotHaveDuplicates().allMatch(span -> span.matches("[0-9a-f]{16}"));
        assertThat(TraceContext.spanId(execution, 7)).isEqualTo(spans.get(12));
    }
}
