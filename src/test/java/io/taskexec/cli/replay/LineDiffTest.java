package io.taskexec.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineDiffTest {
    @ParameterizedTest
    @CsvSource({
        "abc, abc, '  a|  b|  c'",
        "abc, axc, '  a|- b|+ x|  c'",
        "abcd, acde, '  a|- b|  c|  d|+ e'",
        "'', ab, '+ a|+ b'",
        "ab, '', '- a|- b'",
        "abab, baba, '- a|  b|  a|  b|+ a'",
    })
    void commonLinesStayAndOthersAreMarked(String before, String after, String expected) {
        assertThat(String.join("|", LineDiff.of(lines(before), lines(after)))).isEqualTo(expected);
    }

    private static List<String> lines(String letters) {
        return letters.chars().mapToObj(Character::toString).toList();
    }

    @Test
    void largeTextsAreReplacedAsAWhole() {
        var before = Collections.nCopies(5_000, "a");
        var after = Collections.nCopies(5_000, "b");

        assertThat(LineDiff.of(before, after)).hasSize(10_000).startsWith("- a").endsWith("+ b");
    }
}
