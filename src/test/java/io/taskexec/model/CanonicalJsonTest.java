package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class CanonicalJsonTest {
    /** Values in several spellings; those of one line are equal, those of two lines are not. */
    static final List<List<String>> VALUES = List.of(
            List.of("1", "1.0", "1e0", "10E-1", "0.1e+1", "1.00000000000000000000000000"),
            List.of("-1", "-1.0", "-100e-2"),
            List.of("0", "0.0", "-0", "-0.0", "0e999999999", "0E-5", "-0.00000000000000000000000000"),
            List.of("100", "1e2", "100.00", "0.1E3"),
            List.of("0.1", "1e-1", "10e-2", "0.10"),
            List.of("0.10000000000000000000000001"),
            List.of("9007199254740993", "9007199254740993.0", "9.007199254740993e15"),
            List.of("9007199254740992"),
            List.of("999999999999999999", "999999999999999999.0", "0.999999999999999999e18"),
            List.of("1000000000000000000", "1e18", "1000000000000000000.0", "10e17"),
            List.of("-1000000000000000000", "-1e18", "-1000000000000000000.000"),
            List.of("9223372036854775807", "9223372036854775807.0", "9223372036854775807e0"),
            List.of("-9223372036854775808", "-9223372036854775808.00", "-92233720368547758080e-1"),
            List.of("92233720368547758070", "9223372036854775807e1", "9.223372036854775807E19"),
            List.of("123456789012345678901234567890", "123456789012345678901234567890.0"),
            List.of("-123456789012345678901234567890"),
            List.of("1e999999999", "10e999999998", "0.1e1000000000"),
            List.of("1e999999998"),
            List.of("1e-999999999", "0.1e-999999998"),
            List.of("\"1\"", "\"\\u0031\""),
            List.of("\"\""),
            List.of("\"/\"", "\"\\/\"", "\"\\u002F\"", "\"\\u002f\""),
            List.of("\"\u00e9\"", "\"\\u00e9\"", "\"\\u00E9\""),
            List.of("\"e\u0301\""),
            List.of("\"\ud83d\ude00\"", "\"\\uD83D\\uDE00\""),
            List.of("\"true\""),
            List.of("true", " true "),
            List.of("false"),
            List.of("null", "\nnull\t"),
            List.of("[]", "[ ]"),
            List.of("{}", "{ }"),
            List.of("[[]]"),
            List.of("[[], []]"),
            List.of("[{}]"),
            List.of("[1, 2]", "[1.0,20e-1]"),
            List.of("[2, 1]"),
            List.of("[12]"),
            List.of("[null]"),
            List.of("{\"a\": 1, \"b\": [2, {\"d\": 3, \"c\": 4}]}", "{\"b\":[2e0,{\"c\":4,\"d\":3}],\"\\u0061\":1.0}"),
            List.of("{\"a\": {\"b\": 1}}"),
            List.of("{\"a\": {}, \"b\": 1}", "{\"b\": 1, \"a\": {}}"),
            List.of("{\"a\": null}"),
            List.of("{\"a\": \"\", \"b\": \"\"}"),
            List.of("{\"a\": \"b\"}"),
            List.of("{\"ab\": \"\"}"));

    private static ByteBuffer canonical(String text) throws JsonProcessingException {
        return CanonicalJson.of(Json.parse(text));
    }

    @ParameterizedTest
    @FieldSource("VALUES")
    void equalValuesHaveTheSameBytesAndNoOthersHave(List<String> spellings) throws JsonProcessingException {
        var bytes = canonical(spellings.getFirst());

        for (var spelling : spellings) {
            assertThat(canonical(spelling)).as(spelling).isEqualTo(bytes);
        }
        for (var others : VALUES) {
            if (!others.equals(spellings)) {
                assertThat(canonical(others.getFirst())).as(others.toString()).isNotEqualTo(bytes);
            }
        }
    }

    @Test
    void manyLargeNumbersTakeNoLongerThanTheirDigitsDo() {
        var number = "1" + "0".repeat(990) + "e-999999";
        var text = "[" + (number + ",").repeat(1000) + number + "]";

        // A second for each digit, were an exponent ever written out.
        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> assertThat(canonical(text).remaining()).isPositive());
    }

    @Test
    void theDeepestTreeIsWritten() throws JsonProcessingException {
        var deepest = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);

        assertThat(canonical(deepest).remaining()).isEqualTo(Integer.BYTES + 2 * Json.MAX_DEPTH);
    }
}
