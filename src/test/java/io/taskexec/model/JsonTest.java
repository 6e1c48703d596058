package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "12.50",
                "0.10",
                "100000000000000000000000000001",
                "3.141592653589793238462643383279502884197",
                "-7",
                "true",
                "null",
                "\"\\u0000 ü 🎉\"",
                "[]",
                "{\"z\":1.00,\"a\":[1,2.0,{\"b\":null}]}"
            })
    void whatIsReadIsWrittenAsItWas(String text) throws JsonProcessingException {
        assertThat(Json.write(Json.parse(text))).isEqualTo(text);
        assertThat(Json.text(Json.stored(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "{\"a\":1,\"a\":2}",
                "{\"x\":{\"a\":1,\"b\":2,\"a\":1}}",
                "{} {}",
                "1 2",
                "{\"a\":}",
                "{'a':1}",
                "[1,]",
                "NaN",
                "01",
                "// comment\n1"
            })
    void whatIsNotOneJsonValueIsRefused(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(JsonProcessingException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e99999999999",
                "-1E+99999999999",
                "1e-99999999999",
                "0e99999999999",
                "1e2147483648",
                "1e-2147483648",
                "1.5e-2147483647",
                "1e1000000000",
                "10e999999999",
                "1e-1000000000"
            })
    void aNumberWithTooLargeAnExponentIsRefusedWithItsPlace(String number) {
        assertThatThrownBy(() -> Json.parse("{\n \"a\": " + number + "}"))
                .isInstanceOfSatisfying(JsonProcessingException.class, e -> {
                    assertThat(e.getOriginalMessage()).isEqualTo("A number has an exponent of more than 9 digits");
                    assertThat(e.getLocation().getLineNr()).isEqualTo(2);
                });
        assertThatThrownBy(() -> Json.parse(number)).isInstanceOf(JsonProcessingException.class);
        assertThat(Json.partOrNull("[" + number + "]")).isNull();
    }

    @Test
    void whatIsStoredFailsInOneWayWhateverIsWrongWithIt() {
        for (var text : List.of("[1e99999999999]", "[1e-2147483648]", "[", "[" + "1".repeat(2_000) + "]")) {
            assertThatThrownBy(() -> Json.stored(text))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(JsonProcessingException.class);
        }
    }

    /** A number is written with other zeros and another exponent than it was read with. */
    @Test
    void aNumberThatIsReadCanBeReadAgainAsItIsWritten() throws JsonProcessingException {
        for (var number : List.of(
                "1e999999999",
                "0.1e1000000000",
                "-1.5e-999999999",
                "1".repeat(1_000),
                "1".repeat(995) + "e-1000",
                "1".repeat(996) + "e2000",
                "-" + "1".repeat(490) + "e99999999")) {
            var tree = Json.parse("[" + number + "]");

            assertThat(Json.stored(Json.write(tree))).as(number).isEqualTo(tree);
            assertThat(Json.parseAnswer(Json.write(tree))).as(number).isEqualTo(tree);
        }
    }

    @Test
    void aLimitIsSaidWithoutTheNamesOfTheLibrary() {
        for (var text :
                List.of("[".repeat(65), "1".repeat(1_001), "{\"" + "a".repeat(50_001) + "\": 1}", "NaN", "+1")) {
            assertThatThrownBy(() -> Json.parse(text))
                    .isInstanceOfSatisfying(
                            JsonProcessingException.class,
                            e -> assertThat(e.getOriginalMessage())
                                    .doesNotContain("`", "StreamReadConstraints", "JsonReadFeature", "getMax"));
        }
        assertThatThrownBy(() -> Json.parse("[".repeat(65)))
                .isInstanceOfSatisfying(
                        JsonProcessingException.class,
                        e -> assertThat(e.getOriginalMessage())
                                .isEqualTo("Document nesting depth (65) exceeds the maximum allowed (64)"));
    }

    @ParameterizedTest
    @CsvSource({
        "4, true",
        "4.0, true",
        "1e3, true",
        "40e-1, true",
        "0e999999999, true",
        "-2147483648, true",
        "2147483647.000, true",
        "4.5, false",
        "2147483648, false",
        "-1e10, false",
        "1e999999999, false",
        "1e-999999999, false",
        "true, false",
        "null, false",
        "'\"4\"', false",
        "[4], false"
    })
    void aWholeNumberMayBeSpeltInAnyWay(String number, boolean isInt) throws JsonProcessingException {
        assertThat(Json.isInt(Json.parse(number))).isEqualTo(isInt);
    }

    @Test
    void nestingIsAllowedToADepthAndNoDeeper() throws JsonProcessingException {
        assertThat(Json.parse("[".repeat(64) + "]".repeat(64)).isArray()).isTrue();
        assertThat(Json.parse("{\"a\":".repeat(64) + "1" + "}".repeat(64)).isObject())
                .isTrue();
        assertThatThrownBy(() -> Json.parse("[".repeat(65) + "]".repeat(65)))
                .isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> Json.parse("{\"a\":".repeat(65) + "1" + "}".repeat(65)))
                .isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> Json.parse("[".repeat(1_000_000))).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void whatIsWrittenCanBeReadAgainHoweverDeepItIs() throws JsonProcessingException {
        var tree = Json.parse("[".repeat(64) + "]".repeat(64));
        while (depth(tree) < 1000) {
            tree = JsonNodeFactory.instance.objectNode().set("around", tree);
        }

        assertThat(Json.stored(Json.write(tree))).isEqualTo(tree);
        assertThat(Json.parseAnswer(Json.write(tree))).isEqualTo(tree);

        var deeper = JsonNodeFactory.instance.arrayNode().add(tree);
        assertThatThrownBy(() -> Json.write(deeper)).isInstanceOf(UncheckedIOException.class);
    }

    private static int depth(JsonNode tree) {
        var levels = 0;
        for (@Nullable JsonNode at = tree;
                at != null;
                at = at.isEmpty() ? null : at.iterator().next()) {
            levels++;
        }
        return levels;
    }

    @Test
    void aChangeReachesEveryTextButNoName() throws JsonProcessingException {
        var tree = Json.parse("{\"a\":\"x\",\"b\":[\"y\",1,{\"c\":\"z\"}],\"d\":null,\"e\":1.50}");

        assertThat(Json.write(Json.mapTexts(tree, text -> text.toUpperCase(Locale.ROOT))))
                .isEqualTo("{\"a\":\"X\",\"b\":[\"Y\",1,{\"c\":\"Z\"}],\"d\":null,\"e\":1.50}");
        assertThat(tree.path("a").textValue()).isEqualTo("x");
    }

    @Test
    void aChangeOfAllReachesNamesAndNumbersToo() throws JsonProcessingException {
        var tree = Json.parse("{\"a1\":\"x1\",\"b\":[1.50,20,{\"c\":true}],\"d\":null}");

        assertThat(Json.write(Json.mapAll(tree, text -> text.replace("1", "*"))))
                .isEqualTo("{\"a*\":\"x*\",\"b\":[\"*.50\",20,{\"c\":true}],\"d\":null}");
    }

    @Test
    void nothingStaysNothing() {
        assertThat(Json.stored(null)).isNull();
        assertThat(Json.text(null)).isNull();
    }
}
