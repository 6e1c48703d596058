package io.taskexec.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegexpCostTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | 0",
                "abc | 3",
                "a{3} | 3",
                "ab{2,5} | 6",
                "a{7,}b | 8",
                "(ab){3} | 9",
                "((a{10}){10}){10} | 1110",
                "[a-z(]{4} | 4",
                "[)]{4} | 4",
                "[]{9}]{4} | 4",
                "[^]{9}]{4} | 4",
                "[[:alpha:]]{4} | 4",
                "\\({4} | 4",
                "[\\]]{4} | 4",
                "\\Q({9}\\E | 7",
                "a{x(b{9}){9} | 93",
                "a{99999999999999999999} | 2147483647",
                "((((a{999}){999}){999}){999}){999} | 2147483647",
                "^[A-Z]{1,64}@[a-z]{1,255}\\.[a-z]{2,63}$ | 386"
            })
    void repetitionsMultiplyWhatTheyRepeat(String expression, int states) {
        assertThat(RegexpCost.of(expression)).isEqualTo(states);
    }

    @Test
    void noBrokenExpressionIsTooMuchForIt() {
        for (var broken : new String[] {"(", ")", "[", "[^", "\\", "\\Q", "{", "a{", "a{1", ")){9}", "[[:", "[\\"}) {
            assertThat(RegexpCost.of(broken)).isGreaterThanOrEqualTo(0);
            assertThat(RegexpCost.of(broken.repeat(10_000))).isGreaterThanOrEqualTo(0);
        }
    }
}
