package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
